import assert from "node:assert/strict";
import test from "node:test";

import { labelOf, legendOf, nameOf } from "../../assets/js/components/heads.js";
import { linksOf, spokenArcs } from "../../assets/js/components/sentence.js";

const grid = {
  layers: 2,
  heads: 2,
  group: 1,
  states: ".mr?",
  texts: { 1: "−43", 2: "+17" },
  shades: { 1: 0.9 },
  names: { ".": "within the limit", m: "mainly here", r: "more likely", "?": "not measured" },
  head: null,
  ablated: ["L0H1"],
  label: "",
};

test("a head is named by its layer and its number", () => {
  assert.deepEqual([0, 1, 2, 3].map((index) => nameOf(index, 2)), ["L0H0", "L0H1", "L1H0", "L1H1"]);
});

test("the label of a cell has its number, its state and whether it is ablated", () => {
  assert.equal(labelOf(grid, 0), "Layer 0, head 0: within the limit");
  assert.equal(labelOf(grid, 1), "Layer 0, head 1: −43, mainly here, ablated");
});

test("the legend has the states that occur, with an example each", () => {
  assert.deepEqual(
    legendOf(grid).map(({ state, index }) => [state, index]),
    [["m", 1], ["r", 2], [".", 0], ["?", 3]],
  );
});

const attention = { head: "L1H0", query: 2, from: "is", first: 0, shares: [0.3, 0.5, 0.2], least: 0.06 };

test("arcs leave out the query, the first token and small shares", () => {
  assert.deepEqual(linksOf(attention), [{ q: 2, k: 1, weight: 0.5 }]);
  assert.deepEqual(linksOf({ ...attention, shares: [0.99, 0.01, 0] }), []);
});

test("the text alternative of arcs names all larger shares, the first token too", () => {
  const tokens = ["The", "cat", "is"].map((text) => ({ text, space: true }));
  const data = { tokens, gap: /** @type {"end"} */ ("end"), title: "", hint: "", candidates: [], attention };
  assert.equal(spokenArcs(data), "From is, head L1H0 gives 50 % to cat, 30 % to The of its attention.");
  assert.equal(spokenArcs({ ...data, attention: undefined }), "");
});
