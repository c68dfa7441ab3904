import assert from "node:assert/strict";
import test from "node:test";
import { arcLinks, arcShapes } from "../../../assets/js/lib/arcs.js";

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

test("width is the weight: 14 px for 100 %, and the strongest lies on top with the label", () => {
  const shapes = arcShapes([link(0, 4, 1), link(1, 4, 0.5)], boxes, { y: 130, rise: 92, up: true });
  assert.deepEqual(shapes.map(({ width }) => width), [7, 14]);
  assert.equal(shapes[0].label, null);
  assert.ok(shapes[1].label && shapes[1].opacity === 1 && shapes[0].opacity < 1);
});

test("the number stands beyond the arcs that reach further over its place, and only those", () => {
  const place = { y: 130, rise: 92, up: true };
  const number = (...links) => arcShapes(links, boxes, place).find(({ label }) => label).label.y;
  assert.ok(number(link(1, 2, 0.9), link(0, 4, 0.2)) < number(link(1, 2, 0.9), link(2, 4, 0.2)) - 30);
  assert.equal(number(link(1, 3, 0.9), link(2, 3, 0.2)), number(link(1, 3, 0.9)));
});

test("ends at one word stand apart, the farther arc further from the looking side, so that arcs nest", () => {
  const ends = new Map(arcShapes([link(0, 3, 0.3), link(1, 3, 0.3), link(2, 3, 0.3), link(4, 3, 0.3)], boxes, { y: 130, rise: 92, up: true }).map(({ link: { q }, path }) => [q, Number(/ ([\d.]+),[\d.]+$/.exec(path)[1])]));
  assert.ok(ends.get(2) < ends.get(1) && ends.get(1) < ends.get(0) && ends.get(0) < ends.get(4));
});

test("arcs above rise above the words and arcs below fall below them", () => {
  const [above] = arcShapes([link(0, 4, 0.5)], boxes, { y: 130, rise: 92, up: true });
  const [below] = arcShapes([link(0, 4, 0.5)], boxes, { y: 200, rise: 82, up: false });
  assert.ok(above.label.y < 130 && below.label.y > 200);
  assert.match(above.path, / 0 0 1 /);
  assert.match(below.path, / 0 0 0 /);
});

test("short sentences get low arcs, and no link draws nothing", () => {
  const near = [{ x: 0, width: 20 }, { x: 40, width: 20 }];
  const [shape] = arcShapes([link(0, 1, 0.5)], near, { y: 130, rise: 92, up: true });
  assert.ok(shape.label.y > 130 - 92);
  assert.deepEqual(arcShapes([], boxes, { y: 0, rise: 1, up: true }), []);
});
