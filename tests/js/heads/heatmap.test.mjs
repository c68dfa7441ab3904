import assert from "node:assert/strict";
import test from "node:test";
import { cellNumbers, mapLayout } from "../../../assets/js/heads/heatmap.js";
import { focusMark, headArrays } from "../../../assets/js/heads/pinned.js";
import { FULL, cellNumber } from "../../../assets/js/lib/map.js";

test("seven words in half of 1,120 px have cells of 52 px with numbers, on a phone about 30", () => {
  const wide = mapLayout({ column: 532, rows: 7, columns: 7, label: 66, bars: 70 });
  assert.ok(wide.cell >= 50 && wide.cell <= 52 && wide.numbers && wide.every.key === 1);
  const phone = mapLayout({ column: 358, rows: 7, columns: 7, label: 60, bars: 56 });
  assert.ok(phone.cell >= 28 && phone.numbers && phone.left + phone.width + 56 + 12 <= 358);
});

test("many words: small cells, no numbers, labels that do not collide", () => {
  const layout = mapLayout({ column: 532, rows: 113, columns: 113, label: 90, bars: 70 });
  assert.ok(!layout.numbers && layout.cell >= 2);
  assert.ok(layout.every.key * layout.cell >= 26 && layout.every.query * layout.cell >= 17);
});

test("as many words as there may be stay inside the narrowest screen", () => {
  for (const column of [288, 358]) {
    const phone = mapLayout({ column, rows: 128, columns: 128, label: column * 0.3, bars: 56 });
    assert.ok(phone.whole <= column && phone.every.key * phone.cell >= 26);
  }
});

test("numbers are whole per cents, nothing below 4.5", () => {
  assert.deepEqual([0, 0.044, 0.045, 0.676, 1].map(cellNumber), ["", "", "5", "68", "100"]);
});

test("each pinned head gets its own slice", () => {
  const arrays = { weights: { data: Uint16Array.from([2, 3, 5, 7, 11, 13]), shape: [3, 1, 2] }, mass: { data: Uint8Array.from([17, 19, 23]), shape: [3, 1] } };
  assert.deepEqual([...headArrays(arrays, 1).weights], [5, 7]);
  assert.deepEqual([...headArrays(arrays, 2).mass], [23]);
  assert.equal(headArrays({ weights: arrays.weights }, 0).mass, null);
});

test("a control is found again after a redraw", () => {
  assert.equal(focusMark({ dataset: { action: "ablate", name: "L0H1" } }), '[data-action="ablate"][data-name="L0H1"]');
  assert.equal(focusMark({ dataset: {}, localName: "canvas" }), "canvas");
  assert.equal(focusMark({ dataset: { key: "0" } }), '[data-key="0"]');
  assert.equal(focusMark({ dataset: {} }), null);
  assert.equal(focusMark(null), null);
});

test("a cell has its share of all attention and the excluded share of its row", () => {
  const mass = Uint16Array.from([0, Math.round(FULL * 0.9)]);
  assert.deepEqual(cellNumbers(FULL * 0.07, mass, 1), { share: 7, excluded: 90 });
  assert.deepEqual(cellNumbers(FULL * 0.75, null, 0), { share: 75, excluded: null });
});
