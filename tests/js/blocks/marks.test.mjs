import assert from "node:assert/strict";
import test from "node:test";
import { axisEnd } from "../../../assets/js/blocks/row_chart.js";
import { usualText } from "../../../assets/js/blocks/looks.js";

import { blockFont, clickEffect } from "../../../assets/js/sentence/ambiguity.js";
import { columnWidths } from "../../../assets/js/blocks/blocks.js";
import { pivotLooks } from "../../../assets/js/blocks/look.js";
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

test("arcs go into and out of the pivot only, from 8 per cent, not from empty rows", () => {
  const weights = [
    [0.5, 0.1, 0.4],
    [0.05, 0.05, 0.9],
    [0.7, 0.2, 0.1],
  ];
  const looks = (empty) => pivotLooks(weights, { pivot: 2, a: [0], b: [1], empty });
  assert.deepEqual(looks([]).map(({ q, k, side }) => [q, k, side]), [[2, 1, "b"], [0, 2, "a"], [2, 0, "a"], [1, 2, "b"]]);
  assert.deepEqual(looks([1]).map(({ q }) => q), [2, 0, 2]);
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

test("where an axis ends", () => {
  assert.ok(axisEnd(0.68) >= 0.68);
  assert.ok(axisEnd(1) <= 1);
  assert.ok(axisEnd(0.003) > 0.003);
});
