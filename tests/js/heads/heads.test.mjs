import assert from "node:assert/strict";
import test from "node:test";
import { cellPixels, colourTable } from "../../../assets/js/heads/grid.js";
import { answerConnection, connectionSentence, focusKey, headAbout, headLabel, headLinks, headSentence, pointing, runsTo, sideOf, tintsFrom } from "../../../assets/js/heads/spec.js";
import { moreText, shownRows } from "../../../assets/js/heads/ask.js";
import { filled, filledText, plainText } from "../../../assets/js/lib/spans.js";

const header = {
  layers: 2, heads: 3, links: true, pins: ["L1H0", "L0H2"], ablated: ["L0H1"], lock: null,
  queries: ["the₁", "man", "the₂"], keys: ["the₁", "man", "the₂"],
  share: [30, 40, 0, 62, 5, 6],
  rests: [11, 40, 0, 62, 5, 6],
  looks: [[0, 1, 68, 4], null, [2, 1, 7, null], [1, 0, 5, 1], null, null],
  say: {
    look: [["plain", "In head "], ["head", "{head}"], ["plain", ", "], ["word", "{query}"], ["plain", " looks at "], ["word", "{key}"], ["plain", " with {percent}."]],
    nothing: [["plain", "Nothing in "], ["head", "{head}"]],
    rests: "{percent} on [SEP]", share: "{percent} set aside", share_aria: "{percent} to [SEP]",
  },
};

test("a screen reader hears layer, head, share and pin", () => {
  assert.equal(headLabel(header, 3), "layer 1 head 0, 62\u00a0% to [SEP], pinned 1");
  assert.equal(headLabel(header, 1), "layer 0 head 1, 40\u00a0% to [SEP], ablated");
});

test("sentences are filled from templates", () => {
  assert.equal(plainText(headSentence(header, 0)), "In head L0H0, the₁ looks at man with 68\u00a0%.");
  assert.equal(plainText(headSentence(header, 1)), "Nothing in L0H1");
});

test("a word that looks like a slot is not filled again", () => {
  assert.equal(filledText("{query} looks at {key}", { query: "{key}", key: "<b>" }), "{key} looks at <b>");
  assert.deepEqual(filled([["word", "{unknown}"]], {}), [["word", "{unknown}"]]);
});

test("links come as they were sent, in shares of all attention", () => {
  const sent = { link_queries: { data: [7, 5, 3, 2], shape: [2, 2] }, link_keys: { data: [1, 1, 13, 13] }, link_percents: { data: [90, 6, 34, 0], shape: [2, 2] } };
  assert.deepEqual(headLinks(header, sent, 1), [{ q: 3, k: 13, weight: 0.34 }]);
  assert.deepEqual(headLinks({ ...header, links: false }, sent, 1), []);
});

test("click or tap, and never in a word of the text", () => {
  const spans = [["word", "{click}"], ["plain", " {Click} a word, {point} at one"]];
  assert.equal(plainText(pointing(spans, true)), "{click} Tap a word, tap at one");
  assert.equal(plainText(pointing(spans, false)), "{click} Click a word, point at one");
});

test("a head that was picked for a reading says for which, and whether its look runs to the word", () => {
  const readings = { pivot: [3], a: [1], b: [4], sides: { L1H0: "b" } };
  assert.equal(sideOf({ ...header, readings }, 3), "b");
  assert.equal(sideOf({ ...header, readings }, 0), "");
  assert.equal(sideOf({ ...header, readings: null }, 3), "");
  assert.match(headLabel({ ...header, readings }, 3), /shown for candidate B$/);
  const from = { lock: 3, look: "from" };
  assert.deepEqual([[3, 1, 40], [4, 3, 38], null].map((look) => runsTo(from, look)), [false, true, false]);
  assert.equal(runsTo({ lock: 3, look: "at" }, null), true);
  assert.equal(runsTo({ lock: null, look: "at" }, [4, 3, 38]), false);
});

test("a tint on several lines is from the word that is asked about only if the connection is", () => {
  const asked = { lock: 3, look: "ask" };
  assert.deepEqual([[3, 1, 40], [4, 3, 38]].map((look) => tintsFrom(asked, look)), [true, false]);
  assert.equal(tintsFrom({ lock: null, look: "at" }, [4, 3, 38]), false);
});

test("the word in focus is the locked one, else the one looked at most", () => {
  assert.equal(focusKey(header, 0), 1);
  assert.equal(focusKey(header, 1), null);
  assert.equal(focusKey({ ...header, lock: 2 }, 0), 2);
});

test("colour is linear in the weight, and hidden cells stay transparent", () => {
  const lookup = colourTable([[0, 0, 0], [200, 0, 0]]);
  assert.equal(lookup[128][0], Math.round(200 * (128 / 255) ** 2));
  const pixels = cellPixels(Uint8Array.from([255, 0, 0, 255]), 2, 2, true, lookup);
  assert.deepEqual([...pixels], [200, 0, 0, 255, 0, 0, 0, 0, 0, 0, 0, 255, 200, 0, 0, 255]);
});

test("an ablated head says so next to its name", () => {
  assert.equal(headAbout(header, 1), "ablated · 40\u00a0% on [SEP]");
  assert.equal(headAbout(header, 0), "11\u00a0% on [SEP]");
});

test("a line of an answer names the connection that it is about", () => {
  const say = { at: [["plain", "at "], ["word", "{query}"]], from: [["plain", "from "], ["word", "{query}"]] };
  const asked = { ...header, say, lock: 1 };
  const connection = answerConnection(asked, { index: 4, row: { way: "at", other: "2", share: "69", usual: "26" } });
  assert.deepEqual(connection, [4, 2, 1, 69, 26]);
  assert.equal(plainText(connectionSentence(asked, connection)), "at the₂");
  assert.equal(plainText(connectionSentence(asked, answerConnection(asked, { index: 4, row: { way: "from", other: "2", share: "9" } }))), "from man");
});
