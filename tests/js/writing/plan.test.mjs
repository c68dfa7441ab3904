import assert from "node:assert/strict";
import test from "node:test";
import { axisEnd } from "../../../assets/js/blocks/row_chart.js";
import { columnPlan, futureFrom, headsShown, LEFT, lookOf, numbered, pastUntil, RIGHT, rowHeight, sharesOf, spanOf, stateOf, stretches } from "../../../assets/js/writing/plan.js";

test("words stand above their columns while they fit, then columns are even", () => {
  const few = columnPlan({ widths: [2, 3, 1], column: 1000 });
  assert.ok(few.words);
  assert.equal(few.size, 34);
  assert.deepEqual(few.boxes.map(({ width }) => Math.round(100 * width)), [8024, 11424, 4624]);
  assert.equal(few.boxes[0].x, LEFT);
  const many = columnPlan({ widths: Array(50).fill(2), column: 1138 });
  assert.ok(!many.words);
  assert.equal(many.boxes[1].width, (1138 - LEFT - RIGHT) / 50);
  assert.ok(Math.abs(many.end - (1138 - RIGHT)) < 1e-6);
  assert.ok(!columnPlan({ widths: Array(20).fill(9), column: 390 }).words, "too wide for a phone");
});

test("a token is read, written, new or yet to come", () => {
  assert.deepEqual([0, 4, 5, 6].map((place) => stateOf(place, 5, 0)), ["prompt", "prompt", "new", "later"]);
  assert.deepEqual([4, 5, 6, 7].map((place) => stateOf(place, 5, 2)), ["prompt", "written", "written", "new"]);
  assert.deepEqual(stretches([1, 2, 3, 4, 5], 3, 1), [{ state: "prompt", from: 0, to: 1 }, { state: "written", from: 2, to: 2 }, { state: "new", from: 3, to: 3 }, { state: "later", from: 4, to: 4 }]);
});

test("what stands behind the looking token is absent, and what a window leaves behind", () => {
  assert.equal(futureFrom([1, 2, 3, 5], 3), 3);
  assert.equal(futureFrom([1, 2], 7), 2);
  assert.equal(pastUntil([1, 2, 3, 4, 5], 5, 3), 2); // sees 3, 4 and itself
  assert.equal(pastUntil([1, 2, 3], 3, null), 0);
});

test("rows get lower with their number, small cells have no numbers", () => {
  assert.deepEqual([8, 12, 13, 48, 144].map(rowHeight), [28, 28, 12, 12, 5]);
  assert.ok(numbered(40, 30, 28));
  assert.ok(!numbered(40, 30, 12));
  assert.ok(!numbered(4, 30, 28));
});

test("a phone shows all heads, or those of one layer", () => {
  assert.equal(headsShown(2, 4, 1, true).length, 8);
  assert.deepEqual(headsShown(3, 5, 1, true), [5, 6, 7, 8, 9]);
  assert.equal(headsShown(3, 5, 1, false).length, 15);
});

test("a look is told with its own words and numbers", () => {
  const spec = { layers: 1, heads: 2, steps: 2, rows: [1, 2], n_read: 2, names: ["a", "b₁", "c", "b₂"], plain: ["a", "b", "c", "b"], chances: ["50\u00a0%", "less than 1\u00a0%"] };
  const arrays = { looks: { data: Uint16Array.from([0, 90, 0, 1, 60, 3, 1, 80, 2, 0, 55, 1]), shape: [2, 2, 3] }, mass: { data: Uint8Array.from([1, 2, 3, 4]) }, shares: { data: Uint8Array.from([9, 8, 7, 6, 5, 4, 3, 2]), shape: [2, 2, 2] } };
  const look = lookOf(spec, arrays, 1, 1);
  assert.deepEqual([look.place, look.percent, look.told], [0, 55, 1]);
  assert.equal(look.values.new, "b");
  assert.equal(look.values.chance, "less than 1\u00a0%");
  assert.equal(look.values.head, "L0H1");
  assert.equal(look.values.mass, "4\u00a0%");
  assert.deepEqual([...sharesOf(spec, arrays, 1, 0)], [5, 4]);
});

test("where an axis ends", () => {
  assert.ok(axisEnd(0.68) >= 0.68);
  assert.ok(axisEnd(1) <= 1);
  assert.ok(axisEnd(0.003) > 0.003);
});

test("a text from right to left has its first column at the right, in the same room", () => {
  const [along, back] = [false, true].map((rtl) => columnPlan({ widths: [2, 3, 1], column: 1000, rtl }));
  assert.equal(back.start, along.start);
  assert.equal(back.end, along.end);
  assert.ok(Math.abs(back.boxes[0].x + back.boxes[0].width - back.end) < 1e-9);
  assert.ok(Math.abs(back.boxes[2].x - back.start) < 1e-9);
  assert.deepEqual(back.boxes.map(({ width }) => width), along.boxes.map(({ width }) => width));
  for (const { boxes } of [along, back]) {
    const run = spanOf(boxes, 1, 2);
    assert.ok(Math.abs(run.width - boxes[1].width - boxes[2].width) < 1e-9);
    assert.equal(run.x, Math.min(boxes[1].x, boxes[2].x));
  }
});
