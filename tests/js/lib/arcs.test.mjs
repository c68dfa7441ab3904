import assert from "node:assert/strict";
import test from "node:test";
import { forSide, arcLinks, arcShapes, freeSide, nestedArcs, oneArc } from "../../../assets/js/lib/arcs.js";

const link = (q, k, weight) => ({ q, k, weight });
const boxes = [0, 100, 200, 300, 400].map((x) => ({ x, width: 50 }));

test("a locked word shows only its own arcs, from 6 % up, never to itself", () => {
  const links = [link(0, 2, 0.5), link(1, 2, 0.05), link(2, 2, 0.9), link(3, 1, 0.8), link(4, 2, 0.06)];
  assert.deepEqual(arcLinks(links, 2).map(({ q }) => q), [0, 4]);
  assert.deepEqual(arcLinks(links, null).map(({ q }) => q), [3, 0, 4]);
});

test("without a lock at most nine arcs are drawn, the strongest", () => {
  const links = Array.from({ length: 23 }, (_, i) => link(i, i + 1, 0.1 + i / 100));
  const kept = arcLinks(links, null);
  assert.equal(kept.length, 9);
  assert.equal(Math.min(...kept.map(({ weight }) => weight)), 0.1 + 14 / 100);
});

test("ends at one word stand apart, the farther arc further from the looking side, and only the strongest has a number", () => {
  const shapes = arcShapes([link(0, 3, 0.3), link(1, 3, 0.3), link(2, 3, 0.4), link(4, 3, 0.3)], boxes, { y: 130, up: true });
  const ends = new Map(shapes.map(({ link: { q }, tip }) => [q, tip.x]));
  assert.ok(ends.get(2) < ends.get(1) && ends.get(1) < ends.get(0) && ends.get(0) < ends.get(4));
  assert.deepEqual(shapes.map(({ label }) => label !== null), [false, false, false, true]);
  assert.deepEqual(arcShapes([], boxes, { y: 0, up: true }), []);
});

const fan = [[3, 0, 0.53], [3, 1, 0.3], [3, 2, 0.1], [3, 4, 0.02], [3, 3, 0.2]].map(([q, k, weight]) => ({ q, k, weight }));
const drawn = (up = true, named = null) => arcShapes(fan, boxes, { y: 94, up, named });

test("arcs from 6 % up, the strongest last and whole, never to the word itself", () => {
  assert.deepEqual(drawn().map(({ link }) => link.k), [2, 1, 0]);
  assert.deepEqual(drawn().map(({ opacity }) => opacity > 0.99), [false, false, true]);
  assert.equal(drawn().at(-1).width, 0.53 * 14);
});

test("numbers: at the top of the strongest, left of another from 20 %, and wherever the finding names a look", () => {
  assert.deepEqual(drawn().map(({ label }) => label && label.strong), [null, false, true]);
  assert.deepEqual(drawn(true, [3, 2]).map(({ label }) => label && label.strong), [false, false, true]);
});

test("the far arc starts nearest the middle and rises highest, so that none crosses another", () => {
  const [start, height] = [(arc) => Number(/^M([\d.]+)/.exec(arc.path)[1]), (arc) => 94 - Number(/C[\d.]+,([-\d.]+)/.exec(arc.path)[1])];
  const [near, middle, far] = drawn();
  assert.ok(start(near) < start(middle) && start(middle) < start(far) && start(far) <= 325 + 4);
  assert.ok(height(near) < height(middle) && height(middle) < height(far));
  assert.ok(drawn(false).every(({ path }) => Number(/C[\d.]+,([-\d.]+)/.exec(path)[1]) > 94));
});

test("a head's name stands on the left, unless the number is there", () => {
  assert.equal(freeSide(drawn()), "right");
  assert.equal(freeSide([{ label: { x: 600, strong: true } }, { label: { x: 90, strong: false } }, { label: null }]), "left");
  assert.equal(freeSide([]), "left");
});

test("one arc is as wide as its weight, and its number stands beyond its top", () => {
  const [above, below] = [true, false].map((up) => oneArc({ from: 0, to: 100, y: 50, up, weight: 0.5, rise: 30 }));
  assert.equal(above.width, 7);
  assert.ok(above.label.y < 50 - 30 && below.label.y > 50 + 30);
  assert.equal(oneArc({ from: 0, to: 9, y: 0, weight: 0.01, rise: 5, least: 1.5 }).width, 1.5);
});

test("arcs between the same two words lie inside each other, the first outside", () => {
  const [outer, inner] = nestedArcs([0.5, 0.2], 100, 300, { y: 100, up: true, rise: 90, step: 30 });
  const feet = ({ path }) => /^M([\d.]+).* ([\d.]+),[\d.]+$/.exec(path).slice(1).map(Number);
  assert.ok(feet(outer)[0] < feet(inner)[0] && feet(inner)[1] < feet(outer)[1]);
  assert.ok(outer.label.y < inner.label.y);
});

test("arcs beside that of a reading are pale and without a number, but as thick as their share", () => {
  const links = [link(0, 4, 0.9), link(1, 4, 0.3)];
  const shapes = arcShapes(links, boxes, { y: 130, up: true, named: [1, 4] });
  const [beside, told] = forSide(shapes, { side: "b", look: [1, 4, 30, 6] });
  assert.deepEqual([beside.side, beside.label, beside.opacity < told.opacity], [undefined, null, true]);
  assert.deepEqual([beside.width / told.width, told.side, told.label.usually].map((each) => typeof each === "number" ? Math.round(each) : each), [3, "b", 6]);
  assert.equal(forSide(shapes, { side: "", look: null }).length, 2);
});
