/** Dots in columns, shares on an axis, and second words. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { shareStep, swarm } from "../../../assets/js/blocks/carried.js";
import { piled } from "../../../assets/js/lib/chart.js";
import { refusal } from "../../../assets/js/blocks/second_words.js";

test("dots of one column stand on each other", () => {
  const X = (value) => value * 100;
  assert.deepEqual(piled([0.1, 0.11, 0.5], X, 10).map(({ x, row }) => [x, row]), [[10, 0], [10, 1], [50, 0]]);
});

test("dots of one value above the tallest column go into the next", () => {
  const found = piled(Array(5).fill(0.5), () => 70, 7, 2);
  assert.deepEqual(found.map(({ x, row }) => [x, row]), [[70, 0], [70, 1], [77, 0], [77, 1], [84, 0]]);
});

test("dots around a height take turns above and below", () => {
  assert.deepEqual(swarm([1, 1, 1], () => 14, 7, 6).map(({ x, y }) => [x, y + 0]), [[14, 0], [14, 6], [14, -6]]);
});

test("shares on the axis of the bars stand far enough apart to be read", () => {
  assert.equal(shareStep(2000), 0.1);
  assert.equal(shareStep(374), 0.2);
  assert.equal(shareStep(100), 0.5);
});

test("a second word that is one of the four, or several, is refused in the slot", () => {
  const legend = { one_word: "One word, please.", taken: "It is one already." };
  assert.equal(refusal("Hungry ", ["hungry"], legend), legend.taken);
  assert.equal(refusal("very sweet", [], legend), legend.one_word);
  assert.equal(refusal("sweet", ["hungry"], legend), "");
  assert.equal(refusal("  ", ["hungry"], legend), "");
});

