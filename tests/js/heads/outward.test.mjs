import assert from "node:assert/strict";
import test from "node:test";
import { LARGE, freeSide, outwardArcs, visiblePieces } from "../../../assets/js/heads/outward.js";

const boxes = [0, 100, 200, 300, 400].map((x) => ({ x, width: 50 }));
const links = [[3, 0, 0.53], [3, 1, 0.3], [3, 2, 0.1], [3, 4, 0.02], [3, 3, 0.2]].map(([q, k, weight]) => ({ q, k, weight }));
const drawn = (up = true, named = null) => outwardArcs(links, boxes, { y: 94, up, named }, LARGE);

test("arcs from 6 % up, the strongest last and whole, never to the word itself", () => {
  assert.deepEqual(drawn().map(({ link }) => link.k), [2, 1, 0]);
  assert.deepEqual(drawn().map(({ opacity }) => opacity > 0.99), [false, false, true]);
  assert.equal(drawn().at(-1).width, 0.53 * 14);
});

test("numbers: at the top of the strongest, left of another from 20 %, and wherever the finding names a look", () => {
  assert.deepEqual(drawn().map(({ label }) => label && label.strong), [null, false, true]);
  assert.deepEqual(drawn(true, 2).map(({ label }) => label && label.strong), [false, false, true]);
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

test("of a long sentence the look stays in view, and as much beside it as fits", () => {
  const [widths, gaps] = [[50, 50, 50, 50, 50], [0, 10, 10, 10, 10]];
  assert.deepEqual(visiblePieces(widths, gaps, 300, [3, 1]), [[0, 5]]);
  assert.deepEqual(visiblePieces(widths, gaps, 170, [3, 2]), [[2, 5]]);
  assert.deepEqual(visiblePieces(widths, gaps, 110, [2]), [[2, 4]]);
});

test("words that stand too far apart are shown with a gap between, and what is beside them", () => {
  const [widths, gaps] = [[50, 50, 50, 50, 50], [0, 10, 10, 10, 10]];
  assert.deepEqual(visiblePieces(widths, gaps, 110, [4, 0]), [[0, 1], [4, 5]]);
  assert.deepEqual(visiblePieces(widths, gaps, 175, [0, 4], 10), [[0, 2], [4, 5]]);
  assert.deepEqual(visiblePieces(widths, gaps, 20, [2]), [[2, 3]]);
});
