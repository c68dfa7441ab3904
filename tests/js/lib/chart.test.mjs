/** Scales, ticks and piles of every chart: numbers that can be worked out by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { gradient, scale, signed, signedNumber, ticks, wholePercent } from "../../../assets/js/lib/chart.js";

test("a scale knows its ends, and may run either way", () => {
  const X = scale(10, 110, -1, 1);
  assert.deepEqual([-1, 0, 1].map(X), [10, 60, 110]);
  assert.deepEqual([X.low, X.high, X.x0, X.x1], [-1, 1, 10, 110]);
  assert.equal(scale(200, 0, 0, 4)(1), 150);
});

test("zero on an axis has neither sign nor digits", () => {
  assert.deepEqual([-0.5, 0, 0.5].map(signed(1)), ["\u22120.5", "0", "+0.5"]);
});

test("what rounds to zero has no sign", () => {
  assert.equal(signedNumber(-0.0001), "0.00");
  assert.equal(wholePercent(-0.0001), "0\u00a0%");
});

test("ticks hold zero and both ends", () => {
  assert.deepEqual(ticks(-0.2, 0.3, 0.1), [-0.2, -0.1, 0, 0.1, 0.2, 0.3]);
});

test("a ramp of a key goes from left to right", () => {
  assert.equal(
    gradient([
      [1, 2, 3],
      [5, 7, 11],
    ]),
    "linear-gradient(90deg,rgb(1,2,3),rgb(5,7,11))",
  );
});
