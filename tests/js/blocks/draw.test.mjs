import assert from "node:assert/strict";
import test from "node:test";

import { fixed, pointsText, signedNumber, ticks, wholePercent } from "../../../assets/js/lib/chart.js";
import { sentenceLine } from "../../../assets/js/lib/sentence.js";

test("numbers have a true minus, no sign before zero, and a space before the sign for per cent", () => {
  assert.equal(signedNumber(-0.123), "\u22120.12");
  assert.equal(signedNumber(0.001), "0.00");
  assert.equal(signedNumber(0.5, 1), "+0.5");
  assert.equal(signedNumber(0.2, 0), "0");
  assert.equal(fixed(-1.25, 1), "\u22121.3");
  assert.equal(fixed(-0.04, 1), "0.0");
  assert.equal(wholePercent(0.273), "27\u00a0%");
  assert.equal(wholePercent(-0.021), "\u22122\u00a0%");
  assert.equal(wholePercent(-0.001), "0\u00a0%");
});

test("a sentence takes the largest size that fits its column", () => {
  const pieces = [{ text: "ab", space: false }, { text: "cde", space: true }, { text: ".", space: false }];
  const gauge = (text) => text.length / 2; // widths at size 1: 1, 1.5, 0.5, and one space of 0.3
  const line = sentenceLine(pieces, gauge, 33, 74, 5);
  assert.equal(line.size, 10);
  assert.deepEqual(line.boxes, [{ x: 0, width: 10 }, { x: 13, width: 15 }, { x: 28, width: 5 }]);
  assert.ok(line.fits);
  assert.equal(sentenceLine(pieces, gauge, 1000, 74, 5).size, 74);
  assert.ok(!sentenceLine(pieces, gauge, 10, 74, 5).fits);
});

test("points have a true minus, and what rounds to zero is not written", () => {
  assert.deepEqual([0.412, 0.27, -0.03, -0.021, 0.004, -0.004].map((share) => pointsText(share)), ["41", "27", "\u22123", "\u22122", "", ""]);
  assert.equal(pointsText(0.1, "+"), "+10");
});

test("ticks are pleasant and hold zero", () => {
  assert.deepEqual(ticks(-0.35, 0.35, 0.2), [-0.2, 0, 0.2]);
});
