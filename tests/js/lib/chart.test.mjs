/** Numbers of charts, worked out by hand. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { fixed, wholePercent } from "../../../assets/js/lib/chart.js";

test("what rounds to zero has no sign", () => {
  assert.equal(fixed(-0.0001, 2), "0.00");
  assert.equal(fixed(-0.25, 1), "\u22120.3");
  assert.equal(wholePercent(-0.0001), "0\u00a0%");
});
