import assert from "node:assert/strict";
import test from "node:test";

import { labelOf } from "../../assets/js/components/heads.js";

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
