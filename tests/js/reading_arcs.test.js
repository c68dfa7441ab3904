import assert from "node:assert/strict";
import test from "node:test";

import { rampOf } from "../../assets/js/components/heads.js";
import { besideArcs, shareText, usualText } from "../../assets/js/lib/reading_arcs.js";

test("a usual share is never 0 per cent", () => {
  assert.equal(usualText(0.04), "usually 4\u00a0%");
  assert.equal(usualText(0.001), "usually <1\u00a0%");
  assert.equal(usualText(0), "usually <1\u00a0%");
});

test("a small share has the form of pictures, and none is 0 per cent", () => {
  const texts = ["0\u00a0%", "<1\u00a0%", "1\u00a0%", "62\u00a0%", ">99\u00a0%", "100\u00a0%"];
  assert.deepEqual([0, 0.004, 0.005, 0.62, 0.998, 1].map(shareText), texts);
});

test("labels move beside arcs that are short or end at several words", () => {
  assert.equal(besideArcs([100], 400, 1000), null);
  assert.deepEqual(besideArcs([300], 400, 1000), { x: 424, anchor: "start" });
  assert.deepEqual(besideArcs([850], 950, 1000), { x: 826, anchor: "end" });
  assert.deepEqual(besideArcs([100, 300], 400, 1000), { x: 424, anchor: "start" });
});

test("the ramps of two readings begin at the middle of the ramp of leans", () => {
  const colours = { lean: [[0], [1], [2], [3], [4]], carried: [[9]] };
  assert.deepEqual(rampOf("to_a", colours), [[2], [3], [4]]);
  assert.deepEqual(rampOf("to_b", colours), [[2], [1], [0]]);
  assert.deepEqual(rampOf("less", colours), [[9]]);
});
