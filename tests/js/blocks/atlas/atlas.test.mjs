import assert from "node:assert/strict";
import { test } from "node:test";

import { grey, markCells, shadeOf } from "../../../../assets/js/blocks/atlas/marks.js";

const colours = { background: "#ffffff", muted: "#808080", text: "#000000", ramp: [[255, 255, 255], [0, 0, 255]] };

test("greys go from the page by way of muted text to the text, and weights have their own ink", () => {
  assert.deepEqual(grey(colours, 0), [255, 255, 255]);
  assert.deepEqual(grey(colours, 0.6), [128, 128, 128]);
  assert.deepEqual(grey(colours, 1), [0, 0, 0]);
  assert.deepEqual(shadeOf(colours, 1, true), [0, 0, 255]);
  assert.deepEqual(shadeOf(colours, 1, false), [0, 0, 0]);
});

test("a mark is a picture of its pattern: rows look at columns", () => {
  assert.deepEqual(markCells("back"), [[0, 1], [1, 2], [2, 3], [3, 4]]);
  assert.deepEqual(markCells("ahead"), [[1, 0], [2, 1], [3, 2], [4, 3]]);
  assert.equal(markCells("even").length, 25);
  assert.deepEqual(markCells(""), []);
});
