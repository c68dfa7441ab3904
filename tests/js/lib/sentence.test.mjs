import assert from "node:assert/strict";
import test from "node:test";
import { blockSize, edgesOf, flowed, largestType, lineSize } from "../../../assets/js/lib/sentence.js";

test("a sentence grows to its largest size and shrinks to fit", () => {
  assert.equal(lineSize(3.3, 1000, 74), 74);
  assert.equal(lineSize(20.3, 1015, 74), 50);
  assert.equal(lineSize(40.3, 1000, 74), null);
});

test("in a low window the sentence leaves room for the heads below it", () => {
  assert.deepEqual([400, 800, 1100, 4000].map((height) => largestType(false, height)), [34, 60, 74, 74]);
  assert.equal(largestType(true, 800), 118);
});

test("several lines take the largest size that needs four", () => {
  assert.equal(blockSize(30, 358), 34);
  assert.equal(blockSize(3000, 358), 17);
  assert.ok(blockSize(45, 358) < 34);
  assert.equal(blockSize(30, 358, 23), 23);
});

test("arcs begin above and below a line", () => {
  const { up, down } = edgesOf(70, 100);
  assert.ok(up.up && up.y > 70 && up.y < 90);
  assert.ok(!down.up && down.y > 190);
});

test("white space stands between words", () => {
  const pieces = [{ text: "a", space: true }, { text: "b", space: true }, { text: ".", space: false }];
  assert.deepEqual(flowed(pieces, ({ text }) => text).filter(Boolean), ["a", " ", "b", "."]);
});
