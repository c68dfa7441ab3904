import assert from "node:assert/strict";
import { test } from "node:test";

import { previewSaid } from "../../../assets/js/heads/finding.js";

const spec = {
  heads: 2,
  lock: 1,
  queries: ["a", "dog", "ran"],
  keys: ["a", "dog", "ran"],
  looks: [[2, 0, 30, null], null],
  say: { look: [["head", "{head}"], ["plain", ": {query} {key} {percent}"]], nothing: [["plain", "{head}: nothing"]], at: [["word", "{query}"], ["plain", " at "], ["word", "{key}"], ["plain", " {percent}, "], ["head", "{head}"]], from: [["word", "{query}"], ["plain", " to "], ["word", "{key}"], ["plain", " {percent}, "], ["head", "{head}"]] },
};

test("of a head its own sentence is said, of a line of the answers the one look that it is about", () => {
  assert.deepEqual(previewSaid(spec, { index: 0 }), [["head", "L0H0"], ["plain", ": ran a 30\u00a0%"]]);
  assert.deepEqual(previewSaid(spec, { index: 1 }), [["plain", "L0H1: nothing"]]);
  const to = { way: "from", other: "2", share: "17" };
  assert.deepEqual(previewSaid(spec, { index: 1, row: to }), [["word", "dog"], ["plain", " to "], ["word", "ran"], ["plain", " 17\u00a0%, "], ["head", "L0H1"]]);
  const from = { way: "at", other: "0", share: "5" };
  assert.deepEqual(previewSaid(spec, { index: 0, row: from }), [["word", "a"], ["plain", " at "], ["word", "dog"], ["plain", " 5\u00a0%, "], ["head", "L0H0"]]);
});
