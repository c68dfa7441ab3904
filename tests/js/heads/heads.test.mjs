import assert from "node:assert/strict";
import test from "node:test";
import { cellPixels, colourTable } from "../../../assets/js/heads/grid.js";
import { focusKey, headLabel, headLinks, headSentence, onlyHead, scaleTops, tooltipLines } from "../../../assets/js/heads/header.js";
import { filled, filledText, plainText } from "../../../assets/js/lib/spans.js";

const header = {
  layers: 2, heads: 3, links: true, pins: ["L1H0", "L0H2"], off: ["L0H1"], lock: null,
  queries: ["the₁", "man", "the₂"], keys: ["the₁", "man", "the₂"],
  share: [30, 40, 0, 62, 5, 6],
  looks: [[0, 1, 68], null, [2, 1, 7], [1, 0, 5], null, null],
  say: {
    look: [["plain", "In head "], ["head", "{head}"], ["plain", ", "], ["word", "{query}"], ["plain", " looks at "], ["word", "{key}"], ["plain", " with {percent}."]],
    nothing: [["plain", "Nothing in "], ["head", "{head}"]],
    share: "{percent} set aside", share_aria: "{percent} to [SEP]",
  },
};

test("a screen reader hears layer, head, share, pin and whether it is off", () => {
  assert.equal(headLabel(header, 3), "layer 1 head 0, 62\u00a0% to [SEP], pinned 1");
  assert.equal(headLabel(header, 1), "layer 0 head 1, 40\u00a0% to [SEP], switched off");
});

test("sentences and tooltips are filled from templates", () => {
  assert.equal(plainText(headSentence(header, 0)), "In head L0H0, the₁ looks at man with 68\u00a0%.");
  assert.equal(plainText(headSentence(header, 1)), "Nothing in L0H1");
  assert.equal(tooltipLines(header, 2).share, "0\u00a0% set aside");
  assert.deepEqual(tooltipLines(header, 1).first, []);
});

test("a word that looks like a slot is not filled again", () => {
  assert.equal(filledText("{query} looks at {key}", { query: "{key}", key: "<b>" }), "{key} looks at <b>");
  assert.deepEqual(filled([["word", "{unknown}"]], {}), [["word", "{unknown}"]]);
});

test("links come from the cells, or from what was sent when cells are pooled", () => {
  const maps = { data: Uint8Array.from({ length: 54 }, (_, i) => (i === 9 + 1 ? 255 : i === 9 + 6 ? 51 : 0)), shape: [2, 3, 3, 3] };
  assert.deepEqual(headLinks(header, { maps }, 1), [{ q: 0, k: 1, weight: 1 }, { q: 2, k: 0, weight: 0.04000000000000001 }]);
  const pooled = { maps, link_queries: { data: Uint16Array.from([7, 5, 3, 2]), shape: [2, 2] }, link_roots: { data: Uint8Array.from([255, 51, 255, 0]) }, link_keys: { data: Uint16Array.from([11, 13]) } };
  assert.deepEqual(headLinks(header, pooled, 1), [{ q: 3, k: 13, weight: 1 }]);
  assert.deepEqual(headLinks({ ...header, links: false }, { maps }, 1), []);
});

test("the word in focus is the locked one, else the one looked at most", () => {
  assert.equal(focusKey(header, 0), 1);
  assert.equal(focusKey(header, 1), null);
  assert.equal(focusKey({ ...header, lock: 2 }, 0), 2);
});

test("only one head on", () => {
  assert.equal(onlyHead(header), null);
  assert.equal(onlyHead({ ...header, off: ["L0H0", "L0H1", "L0H2", "L1H0", "L1H2"] }), "L1H1");
});

test("scales: all heads alike, each head by its largest, each row by its own", () => {
  const cells = Uint8Array.from([10, 20, 0, 40]);
  assert.deepEqual(scaleTops(cells, 2, 2, "all"), [255, 255]);
  assert.deepEqual(scaleTops(cells, 2, 2, "head"), [40, 40]);
  assert.deepEqual(scaleTops(cells, 2, 2, "row"), [20, 40]);
  assert.deepEqual(scaleTops(Uint8Array.from([0, 0]), 1, 2, "row"), [1]);
});

test("colour is linear in the weight, and hidden cells stay transparent", () => {
  const lookup = colourTable([[0, 0, 0], [200, 0, 0]]);
  assert.equal(lookup[128][0], Math.round(200 * (128 / 255) ** 2));
  const pixels = cellPixels(Uint8Array.from([255, 0, 0, 255]), 2, 2, { scale: "all", causal: true }, lookup);
  assert.deepEqual([...pixels], [200, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255, 200, 0, 0, 255]);
});
