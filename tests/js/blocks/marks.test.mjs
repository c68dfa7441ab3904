import assert from "node:assert/strict";
import test from "node:test";
import { usualText } from "../../../assets/js/blocks/looks.js";

import { blockFont, clickEffect } from "../../../assets/js/sentence/ambiguity.js";
import { columnWidths } from "../../../assets/js/blocks/blocks.js";
import { effectScale } from "../../../assets/js/blocks/matter.js";

test("a click fills the role that is missing, and opens or shuts the menu when none is", () => {
  assert.deepEqual(clickEffect("a", 3, null), { role: "a", word: 3 });
  assert.deepEqual(clickEffect(null, 3, null), { menu: 3 });
  assert.deepEqual(clickEffect(null, 3, 3), { menu: null });
});

test("what is usual is never said as 0 per cent", () => {
  assert.equal(usualText(0.04), "usually 4\u00a0%");
  assert.equal(usualText(0.001), "usually less than 1\u00a0%");
});

test("effects share the scale of 0.03 until one is larger", () => {
  assert.equal(effectScale([0.01, null, -0.026]), 0.03);
  assert.equal(effectScale([0.1, -0.2]), 0.2);
});

test("columns share the room, and stand under each other where there is little", () => {
  assert.deepEqual(columnWidths([2, 1], 940, 40), [600, 300]);
  assert.deepEqual(columnWidths([2, 1], 700, 40), [700, 700]);
});

test("a long sentence on several lines is set smaller", () => {
  const pieces = (count) => Array.from({ length: count }, () => ({ text: "four" }));
  assert.deepEqual([blockFont(pieces(9), false), blockFont(pieces(9), true), blockFont(pieces(60), false), blockFont(pieces(300), false)], [34, 34, 26, 19]);
});
