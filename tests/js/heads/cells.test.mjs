import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { cellNumbers, inkOf, mapLayout, nextCell, numberInk } from "../../../assets/js/heads/cells.js";
import { focusMark, headArrays } from "../../../assets/js/heads/pinned.js";
import { contrast, mixed, parseColour, rampAt } from "../../../assets/js/lib/colour.js";
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
  assert.equal(focusMark({ dataset: { action: "one_cell", name: "L0H1" } }), '[data-action="one_cell"][data-name="L0H1"]');
  assert.equal(focusMark({ dataset: {}, localName: "canvas" }), "canvas");
  assert.equal(focusMark({ dataset: { key: "0" } }), '[data-key="0"]');
  assert.equal(focusMark({ dataset: {} }), null);
  assert.equal(focusMark(null), null);
});

test("a row keeps its ink while half is left, and fades with what is left below", () => {
  const mass = Uint16Array.from([0, FULL / 2, FULL * 0.9, FULL].map(Math.round));
  assert.deepEqual([0, 1, 2, 3].map((row) => Math.round(100 * inkOf(mass, row))), [100, 100, 20, 0]);
  assert.equal(inkOf(null, 0), 1);
  assert.deepEqual(cellNumbers(FULL * 0.75, mass, 2), { share: 75, all: 7, aside: 90, ink: 20 });
  assert.deepEqual(cellNumbers(FULL * 0.75, null, 2), { share: 75, all: 75, aside: 0, ink: 100 });
});

test("arrow keys walk over the cells and stop at the edges", () => {
  const map = { rows: 3, columns: 3 };
  assert.deepEqual(nextCell("ArrowDown", { q: null, k: null }, map), { q: 0, k: 0 });
  assert.deepEqual(nextCell("ArrowRight", { q: 1, k: 2 }, map), { q: 1, k: 2 });
  assert.deepEqual(nextCell("ArrowUp", { q: 1, k: 2 }, map), { q: 0, k: 2 });
  assert.equal(nextCell("Enter", { q: 1, k: 2 }, map), null);
});

test("numbers are read on every cell, however much ink its row has left", () => {
  const tokens = JSON.parse(readFileSync(new URL("../../../assets/tokens.json", import.meta.url), "utf8"));
  for (const colours of [tokens.light, tokens.dark]) {
    const [page, ramp] = [parseColour(colours.background), colours.sequential.map(parseColour)];
    for (let left = 0; left <= 1; left += 0.1)
      for (let weight = 0; weight <= 1; weight += 0.05) {
        const on = mixed(page, rampAt(ramp, weight), left);
        const found = contrast(parseColour(numberInk(left, on, colours)), on);
        assert.ok(found >= 4.5, `${found} of ${weight} with ${left} of its ink`);
      }
    assert.equal(numberInk(0.3, page, colours), colours.muted);
  }
});
