import assert from "node:assert/strict";
import test from "node:test";
import { rowFits, rowPlaces, shownLines } from "../../../assets/js/writing/alignment.js";

test("faint looks have no line, those of the locked word lie on top", () => {
  const lines = shownLines([90, 6, 3, 10, 80, 10], 3, 0);
  assert.deepEqual(lines.map(({ row, key }) => [row, key]), [[1, 0], [1, 2], [1, 1], [0, 1], [0, 0]]);
  assert.deepEqual(lines.map(({ strongest }) => strongest), [false, false, true, false, true]);
  assert.ok(shownLines([90, 6], 2, null).every(({ locked }) => !locked));
});

test("a row of words fills its column, a single word stands in the middle", () => {
  const { size, boxes } = rowPlaces([2, 3, 2], 1000);
  assert.equal(size, 40);
  assert.equal(boxes[0].x, 0);
  assert.ok(Math.abs(boxes[2].x + boxes[2].width - 1000) < 1e-6);
  const one = rowPlaces([2], 1000).boxes[0];
  assert.equal(one.x, 460);
  assert.equal(rowPlaces([2, 3], 1000, false, 20).boxes[1].width, 60);
  const back = rowPlaces([2, 3, 2], 1000, false, null, true).boxes;
  assert.ok(Math.abs(back[0].x + back[0].width - 1000) < 1e-6, "from the right, where the text runs so");
  assert.ok(Math.abs(back[2].x) < 1e-6);
});

test("more words than a row has room for stand under each other", () => {
  assert.ok(rowFits(Array(16).fill(3), 900));
  assert.ok(!rowFits(Array(64).fill(2), 1138));
  assert.ok(rowFits([], 10));
});
