import assert from "node:assert/strict";
import test from "node:test";
import { blockSize, gapsBefore, largestType, lineBoxes, lineSize, mirrored, sentenceLine, thumbnailSize } from "../../../assets/js/lib/sentence.js";

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

test("thumbnails: 70 px at 1,280 for seven words, whole cells, 65 px targets on a phone", () => {
  assert.equal(thumbnailSize({ column: 1120, heads: 12, cells: 7, narrow: false, large: false }).side, 70);
  const nine = thumbnailSize({ column: 1120, heads: 12, cells: 9, narrow: false, large: false });
  assert.equal(nine.side % 9, 0);
  assert.ok(56 + 12 * nine.pitch <= 1120);
  assert.equal(nine.scrolls, false);
  assert.equal(thumbnailSize({ column: 1120, heads: 32, cells: 9, narrow: false, large: false }).scrolls, true);
  assert.deepEqual(thumbnailSize({ column: 358, heads: 12, cells: 7, narrow: true, large: false }), { labels: 34, pitch: 76, side: 63, scrolls: true });
  assert.ok(thumbnailSize({ column: 1120, heads: 2, cells: 8, narrow: false, large: false }).side <= 120);
  const alone = (layers, heads = 4) => thumbnailSize({ column: 1120, heads, cells: 8, narrow: false, large: false, layers });
  assert.deepEqual([alone(2).pitch, alone(3).pitch, alone(6).pitch, alone(2, 12).pitch], [226, 166, 137, 88]);
  assert.ok(thumbnailSize({ column: 1120, heads: 12, cells: 47, narrow: false, large: false }).side >= 60);
});

test("a sentence whose first piece says so begins at the right", () => {
  const pieces = [{ text: "ab", at: 0, space: false }, { text: "c", at: 1, space: true }];
  const gauge = (text) => text.length;
  const along = sentenceLine(pieces, gauge, 330, 100, 10).boxes;
  const back = sentenceLine([{ ...pieces[0], rtl: true }, pieces[1]], gauge, 330, 100, 10).boxes;
  assert.deepEqual(back, mirrored(along));
  assert.ok(back[0].x > back[1].x && along[0].x === 0);
});
