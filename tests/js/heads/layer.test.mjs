import assert from "node:assert/strict";
import test from "node:test";
import { nextCell, plan } from "../../../assets/js/heads/layer_plan.js";

const layer = (more = {}) => plan({ width: 1120, count: 12, rows: 9, columns: 9, label: 60, size: 13, ...more });

test("six maps stand in a line, with words beside the first and under the last of each column", () => {
  const places = layer();
  assert.equal(places.columns, 6);
  const first = Array.from({ length: 12 }, (_, i) => places.at(i));
  assert.deepEqual(first.map(({ first }, i) => (first ? i : -1)).filter((i) => i >= 0), [0, 6]);
  assert.deepEqual(first.map(({ last }, i) => (last ? i : -1)).filter((i) => i >= 0), [6, 7, 8, 9, 10, 11]);
  assert.ok(first.every(({ x }) => x + places.width <= 1120), "nothing stands outside");
  assert.ok(first[11].y + places.tall <= places.height);
});

test("a phone has two, and a long text fewer maps in a line before it loses its words", () => {
  assert.equal(layer({ width: 358 }).columns, 2);
  const longer = layer({ rows: 24, columns: 24 });
  assert.ok(longer.columns < 6 && longer.labelled && longer.cell >= 11);
  const longest = layer({ rows: 128, columns: 128 });
  assert.ok(!longest.labelled && longest.columns === 4 && longest.cell >= 1);
  assert.equal(layer({ rows: 1, columns: 1 }).cell, 40, "one word is no poster");
});

test("of a text from right to left the words stand at the right, behind the last map of a line", () => {
  const places = layer({ rtl: true, count: 8 });
  assert.equal(places.at(0).x, 0);
  assert.deepEqual([5, 7].map((i) => places.at(i).first), [true, true]);
  assert.equal(places.at(0).first, false);
});

test("arrow keys go over the edge of a map into the next one, and the edges of all hold", () => {
  const shape = { heads: 8, columns: 6, rows: 3, keys: 3, causal: false };
  const cell = (head, q, k) => ({ head, q, k });
  assert.deepEqual(nextCell("ArrowRight", cell(0, null, null), shape), cell(0, 0, 0));
  assert.deepEqual(nextCell("ArrowRight", cell(0, 1, 2), shape), cell(1, 1, 0));
  assert.deepEqual(nextCell("ArrowLeft", cell(1, 1, 0), shape), cell(0, 1, 2));
  assert.deepEqual(nextCell("ArrowDown", cell(0, 2, 1), shape), cell(6, 0, 1));
  assert.deepEqual(nextCell("ArrowDown", cell(3, 2, 1), shape), cell(3, 2, 1), "no map stands under it");
  assert.deepEqual(nextCell("ArrowUp", cell(7, 0, 1), shape), cell(1, 2, 1));
  assert.deepEqual(nextCell("ArrowLeft", cell(0, 0, 0), shape), cell(0, 0, 0));
  assert.equal(nextCell("Tab", cell(0, 0, 0), shape), null);
});

test("cells that a mask hides are no stop", () => {
  const shape = { heads: 2, columns: 6, rows: 3, keys: 3, causal: true };
  assert.deepEqual(nextCell("ArrowRight", { head: 0, q: 1, k: 1 }, shape), { head: 1, q: 1, k: 0 });
  assert.deepEqual(nextCell("ArrowUp", { head: 0, q: 2, k: 2 }, shape), { head: 0, q: 2, k: 2 });
  assert.deepEqual(nextCell("ArrowLeft", { head: 1, q: 1, k: 0 }, shape), { head: 0, q: 1, k: 1 });
});
