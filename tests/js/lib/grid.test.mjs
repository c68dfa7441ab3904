import assert from "node:assert/strict";
import test from "node:test";
import { thumbnailSize } from "../../../assets/js/lib/grid.js";

test("thumbnails: 70 px at 1,280 for seven words, whole cells, 65 px targets on a phone", () => {
  assert.equal(thumbnailSize({ column: 1120, heads: 12, cells: 7, narrow: false, large: false }).side, 70);
  const nine = thumbnailSize({ column: 1120, heads: 12, cells: 9, narrow: false, large: false });
  assert.equal(nine.side % 9, 0);
  assert.ok(56 + 12 * nine.pitch <= 1120);
  assert.equal(nine.scrolls, false);
  assert.equal(thumbnailSize({ column: 1120, heads: 32, cells: 9, narrow: false, large: false }).scrolls, true);
  assert.deepEqual(thumbnailSize({ column: 358, heads: 12, cells: 7, narrow: true, large: false }), { labels: 34, pitch: 76, side: 63, scrolls: true });
  const many = thumbnailSize({ column: 1120, heads: 9, cells: 14, narrow: false, large: false, sideways: 30 });
  assert.deepEqual(many, { labels: 34, pitch: 36, side: 33, scrolls: false }, "30 layers fit one screen");
  assert.ok(thumbnailSize({ column: 1120, heads: 2, cells: 8, narrow: false, large: false }).side <= 120);
  assert.ok(thumbnailSize({ column: 1120, heads: 12, cells: 47, narrow: false, large: false }).side >= 60);
});
