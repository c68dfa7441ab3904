import assert from "node:assert/strict";
import test from "node:test";
import { cellColour, cellText, matrixLabel } from "../../assets/js/components/arrays.js";

const COLOURS = { ramp: [[255, 255, 255], [0, 0, 255]], background: "#ffffff", negative: "#808080" }; // prettier-ignore

test("a share is a whole per cent, a number has a true minus, a masked one is empty", () => {
  assert.equal(cellText(0.125, { shares: true, decimals: 2 }), "13\u00a0%");
  assert.equal(cellText(-1.5, { shares: false, decimals: 2 }), "\u22121.50");
  assert.equal(cellText(null, { shares: true, decimals: 2 }), "");
});

test("full ink belongs to 100 %, and negative numbers are grey", () => {
  assert.deepEqual(cellColour(1, { shares: true }, 9, COLOURS), [0, 0, 255]);
  const [red, green, blue] = cellColour(2.5, { shares: false }, 2.5, COLOURS);
  assert.ok(red > 0 && red === green && blue === 255, "three quarters of the ramp");
  const grey = cellColour(-2.5, { shares: false }, 2.5, COLOURS);
  assert.ok(grey[0] < 255 && grey[0] === grey[1] && grey[1] === grey[2]);
});

test("the text alternative has title, size and the framed cell", () => {
  const matrix = { title: "scores", values: [[1, null]], cell: [0, 1], shares: false, decimals: 1 };
  assert.equal(matrixLabel(matrix), "scores, 1 × 2; framed: masked");
});
