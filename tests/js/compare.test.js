import assert from "node:assert/strict";
import test from "node:test";

import { differenceColour, differenceRamps, numberText, panelLayout, spokenPanel } from "../../assets/js/components/map.js";
import { labelOf } from "../../assets/js/components/heads.js";

test("zero is the page's colour on both sides, and half is full", () => {
  const colours = { background: "#ffffff", negative: "#505050", ramp: Array.from({ length: 9 }, (_, i) => [255 - i * 20, 255, 255]) };
  const ramps = differenceRamps(colours);
  assert.equal(ramps.more.length, 7);
  assert.deepEqual(differenceColour(0, ramps), [255, 255, 255]);
  assert.deepEqual(differenceColour(-50, ramps), [80, 80, 80]);
  assert.deepEqual(differenceColour(90, ramps), [135, 255, 255]);
  assert.equal(differenceRamps({ ...colours, background: "#101010" }).more.length, 6);
});

test("numbers have a true minus, and in a difference their sign", () => {
  assert.deepEqual([numberText(-3, true), numberText(3, true), numberText(3, false), numberText(0, true)], ["\u22123", "+3", "3", "0"]);
});

test("cells shrink with their number, are as large in three panels as they fit, and never vanish", () => {
  const three = panelLayout(1120, 7, 66, 3);
  assert.equal(three.cell, 36);
  assert.ok(three.left + 20 + 21 * three.cell + 3 * 64 + 2 * 28 <= 1120);
  assert.equal(panelLayout(358, 7, 66, 1).cell, 30);
  assert.equal(panelLayout(300, 48, 66, 1).cell, 4);
});

test("the text alternative of a panel names its largest cells, without those of everything else", () => {
  const data = { head: "L1H0", rows: ["a", "b"], rest: "else", panels: [], about: "", rtl: false, frame: null, note: "", has_scale: false, action: null };
  const panel = { title: "original", columns: ["a", "c"], cells: [[5, 0, 95], [30, 1, 69]] };
  assert.equal(spokenPanel(data, panel), "L1H0, original, per cent: b to a 30, a to a 5, b to c 1.");
  const difference = { ...panel, cells: [[0, 0, 0], [-30, 0, 30]], unit: "in points", is_signed: true };
  assert.equal(spokenPanel(data, difference), "L1H0, original, in points: b to a \u221230.");
  assert.equal(spokenPanel(data, { ...panel, cells: [[0, 0, 100], [0, 0, 100]] }), "L1H0, original, per cent: no cell above zero.");
});

test("the label of a cell has its details and that it is pinned", () => {
  /** @type {import("../../assets/js/components/heads.js").HeadsData} */
  const grid = {
    layers: 1,
    heads: 2,
    group: 1,
    states: ["changes", "within"],
    texts: ["42", ""],
    shades: {},
    legend: { changes: "beyond", within: "within" },
    details: ["0.042 bits", "0.001 bits"],
    special: [],
    special_text: "",
    shown: null,
    ablated: [],
    pinned: ["L0H0"],
    marked_layers: [],
    label: "",
  };
  assert.equal(labelOf(grid, 0), "Layer 0, head 0: 0.042 bits, beyond, pinned");
  assert.equal(labelOf(grid, 1), "Layer 0, head 1: 0.001 bits, within");
});
