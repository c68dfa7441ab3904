import assert from "node:assert/strict";
import test from "node:test";

import { arcShapes, brokenArc } from "../../assets/js/lib/arcs.js";
import { labelOf, legendOf, nameOf } from "../../assets/js/components/heads.js";
import { columnsOf, depthOf, labelledLayers } from "../../assets/js/components/rank_line.js";
import { cutLabel, directionOf, linksOf, spokenArcs, spokenEffects } from "../../assets/js/components/sentence.js";
import { actionText, linkText } from "../../assets/js/components/versions.js";

/** @type {import("../../assets/js/components/heads.js").HeadsData} */
const grid = {
  layers: 2,
  heads: 2,
  group: 1,
  states: ["within", "less", "more", "unmeasured"],
  texts: ["", "−43", "+17", ""],
  shades: { 1: 0.9, 2: 0.4 },
  legend: { within: "within the limit", less: "less likely", more: "more likely", unmeasured: "not measured" },
  details: ["", "−43 points", "+17 points", ""],
  special: ["L0H1"],
  special_text: "special to this text",
  shown: null,
  ablated: ["L0H1"],
  pinned: null,
  marked_layers: [],
  label: "",
};

test("a head is named by its layer and its number", () => {
  assert.deepEqual(
    [0, 1, 2, 3].map((index) => nameOf(grid, index)),
    ["L0H0", "L0H1", "L1H0", "L1H1"],
  );
});

test("bytes are read from the left in any text, letters as their text", () => {
  assert.deepEqual(["<D8>", "␣<D8><A3>", "<b>", "الر"].map(directionOf), ["ltr", "ltr", null, null]);
});

test("layers of several stacks have names of their own", () => {
  const stacks = { ...grid, layer_names: ["E0", "C0"] };
  assert.deepEqual([nameOf(stacks, 1), nameOf(stacks, 2)], ["E0H1", "C0H0"]);
  assert.equal(labelOf(stacks, 0), "E0H0: within the limit");
});

test("an arc has the name of its head and its share, or says that the head is ablated", () => {
  const link = { from: [0, 1], to: [0, 6], weight: 0.902, name: "E0H7", off: false, cut: "E0H7:1-6", is_cut: false };
  assert.equal(linkText(link), "E0H7 90\u00a0%");
  assert.equal(linkText({ ...link, is_cut: true }), "E0H7 cut, was 90\u00a0%");
  assert.equal(actionText({ ...link, label: "From teacher." }), "From teacher. Cut this link");
  assert.equal(actionText({ ...link, label: "It is cut.", is_cut: true }), "It is cut. Restore it");
  assert.equal(linkText({ ...link, off: true }), "E0H7 ablated");
});

test("the label of a cell has its number, its state and whether it is ablated", () => {
  assert.equal(labelOf(grid, 0), "Layer 0, head 0: within the limit");
  assert.equal(labelOf(grid, 1), "Layer 0, head 1: −43 points, special to this text, less likely, ablated");
});

test("the legend has the states that occur, with their strongest example", () => {
  const names = legendOf(grid).map(({ state, index }) => [state, index]);
  assert.deepEqual(names, [
    ["less", 1],
    ["more", 2],
    ["within", 0],
    ["unmeasured", 3],
  ]);
  const two = {
    ...grid,
    states: /** @type {any} */ (["less", "less", "less", "less"]),
    shades: { 1: 0.9, 2: 1, 3: 0.2 },
  };
  assert.equal(legendOf(two)[0].index, 2);
});

test("columns of the rank line are those of the grid", () => {
  const { column, middles } = columnsOf(30, 1120, true);
  assert.ok(Math.abs(column - (1120 - 52 - 30) / 30) < 1e-9); // 30 gaps of 1 px, one behind the names
  assert.ok(Math.abs(middles[29] + column / 2 - 1120) < 1e-9);
  assert.ok(Math.abs(middles[1] - middles[0] - column - 1) < 1e-9);
});

test("a rank of 1 is on top, and ten times the rank one decade lower", () => {
  assert.equal(depthOf(1, 4), 0);
  assert.equal(depthOf(100, 4), 0.5);
});

test("labels of layers do not touch, and drops go before tens", () => {
  assert.deepEqual(labelledLayers(30, [23], 10), [0, 10, 20, 23, 29]);
  assert.deepEqual(labelledLayers(30, [22], 10), [0, 10, 22, 29]);
  assert.deepEqual(labelledLayers(1, [], 300), [0]);
});

const attention = { head: "L1H0", query: 2, from: "is", first: 0, shares: [0.3, 0.5, 0.2], least: 0.06 };

test("arcs leave out the query, the first token and small shares", () => {
  assert.deepEqual(linksOf(attention), [{ q: 2, k: 1, weight: 0.5, cut: false }]);
  assert.deepEqual(linksOf({ ...attention, shares: [0.99, 0.01, 0] }), []);
});

test("the text alternative of arcs names all larger shares, the first token too", () => {
  const tokens = ["The", "cat", "is"].map((text) => ({ text, space: true }));
  const data = { tokens, gap: /** @type {"end"} */ ("end"), title: "", hint: "", candidates: [], attention };
  assert.equal(spokenArcs(data), "From is, head L1H0 gives 50 % to cat, 30 % to The of its attention.");
  assert.equal(spokenArcs({ ...data, attention: undefined }), "");
});

test("the text alternative of a tint names the changes at single tokens", () => {
  const tokens = ["The", "cat", "is"].map((text) => ({ text, space: true }));
  const effects = { head: "L0H2", word: "cold", query: 2, texts: ["−76", "", "+1"], shades: [1, 0, 0.1] };
  const data = { tokens, gap: /** @type {"end"} */ ("end"), title: "", hint: "", candidates: [], effects };
  assert.equal(
    spokenEffects(data),
    "With head L0H2 ablated at one token alone, cold changes: −76 points at The, +1 points at is.",
  );
});

test("a cut link keeps its share and its arc, also below the least share", () => {
  const cuts = [null, { name: "L1H0:2-1", was: 0.8 }, { name: "L1H0:2-2", was: null }];
  const cut = { head: "L1H0", query: 2, from: "is", first: 0, shares: [0.7, 0, 0.3], least: 0.06, cuts };
  assert.deepEqual(linksOf(cut), [{ q: 2, k: 1, weight: 0.8, cut: true }]);
  const first = { ...cut, cuts: [{ name: "L1H0:2-0", was: 0.9 }, null, null] }; // a sink that a link of the page cuts
  assert.deepEqual(linksOf(first), [{ q: 2, k: 0, weight: 0.9, cut: true }]);
});

test("the text alternative and the button name the link, its share and whether it is cut", () => {
  const tokens = ["The", "cat", "is"].map((text) => ({ text, space: true }));
  const cuts = [{ name: "L1H0:2-0", was: null }, { name: "L1H0:2-1", was: 0.8 }, null];
  const attention = { head: "L1H0", query: 2, from: "is", first: null, shares: [0.7, 0, 0.3], least: 0.06, cuts };
  const data = { tokens, gap: /** @type {const} */ ("end"), title: "", hint: "", candidates: [], attention };
  assert.equal(
    spokenArcs(data),
    "From is, head L1H0 gives 70 % to The of its attention. The link to cat is cut; it was 80 %.",
  );
  assert.equal(cutLabel(data, 0), "From is, head L1H0 gives 70 % of its attention to The. Cut this link");
  assert.equal(cutLabel(data, 1), "The link from is to cat of head L1H0 is cut; it was 80 %. Restore it");
});

test("a cut arc loses its middle and is not the strongest", () => {
  const boxes = [0, 100, 400].map((x) => ({ x, width: 20 }));
  const links = [
    { q: 2, k: 0, weight: 0.3, cut: false },
    { q: 2, k: 1, weight: 0.8, cut: true },
  ];
  const [open, broken] = arcShapes(links, boxes, { y: 84, up: true });
  assert.equal(open.link.cut, false);
  assert.equal(open.opacity, 1);
  assert.equal(broken.label.x, (broken.curve[0][0] + broken.curve[3][0]) / 2);
  const ends = [...brokenArc(broken.curve).matchAll(/([\d.-]+),([\d.-]+)/g)].map(([, x]) => Number(x));
  assert.equal(ends.length, 8); // two cubic curves
  assert.ok(Math.abs(ends[0] - broken.curve[0][0]) < 0.01);
  assert.ok(Math.abs(ends[4] - broken.curve[3][0]) < 0.01);
  assert.ok(Math.abs(ends[3] - ends[7]) > 90); // room for the number, of 300 px
});
