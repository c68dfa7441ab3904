import assert from "node:assert/strict";
import test from "node:test";
import { blockSize, byPlace, flowed, gapsBefore, largestType, lineBoxes, lineSize, mirrored, sentenceLine } from "../../../assets/js/lib/sentence.js";

test("a full stop touches its word, tokens of one word nearly do", () => {
  const pieces = [{ at: 0 }, { at: 1, space: true }, { at: 2, space: false }, { at: null, space: false }];
  assert.deepEqual(gapsBefore(pieces), [0, 0.3, 0.1, 0]);
});

test("a sentence grows to its largest size and shrinks to fit", () => {
  assert.equal(lineSize([1, 2], [0, 0.3], 1000, 74), 74);
  assert.equal(lineSize([10, 10], [0, 0.3], 1015, 74), 50);
  assert.equal(lineSize([20, 20], [0, 0.3], 1000, 74), null);
});

test("in a low window the sentence leaves room for the heads below it", () => {
  assert.deepEqual([400, 800, 1100, 4000].map((height) => largestType(false, height)), [34, 60, 74, 74]);
  assert.equal(largestType(true, 800), 118);
});

test("several lines take the largest size that needs four", () => {
  assert.equal(blockSize([30], [0], 358), 34);
  assert.equal(blockSize([3000], [0], 358), 17);
  assert.ok(blockSize([45], [0], 358) < 34);
});

test("boxes stand one after the other", () => {
  assert.deepEqual(lineBoxes([1, 2], [0, 0.5], 10), [{ x: 0, width: 10 }, { x: 15, width: 20 }]);
});

test("in a text from right to left the first word is the rightmost", () => {
  assert.deepEqual(mirrored([{ x: 0, width: 10 }, { x: 15, width: 20 }]), [{ x: 25, width: 10 }, { x: 0, width: 20 }]);
});

test("a sentence whose first piece says so begins at the right", () => {
  const pieces = [{ text: "ab", at: 0, space: false }, { text: "c", at: 1, space: true }];
  const gauge = (text) => text.length;
  const along = sentenceLine(pieces, gauge, 330, 100, 10).boxes;
  const back = sentenceLine([{ ...pieces[0], rtl: true }, pieces[1]], gauge, 330, 100, 10).boxes;
  assert.deepEqual(back, mirrored(along));
  assert.ok(back[0].x > back[1].x && along[0].x === 0);
});

test("white space stands between words, and what stands behind one comes with it", () => {
  const pieces = [{ text: "a", space: true }, { text: "b", space: true }, { text: ".", space: false }];
  assert.deepEqual(flowed(pieces, ({ text }) => (text === "b" ? ["b", "!"] : text)), ["a", " ", "b", "!", "."]);
});

test("boxes are found by the place of their word; what has none has no box", () => {
  assert.deepEqual(byPlace([{ at: 0 }, { at: null }, { at: 1 }], ["x", "y", "z"]), ["x", "z"]);
});
