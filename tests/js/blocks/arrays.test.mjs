import assert from "node:assert/strict";
import test from "node:test";
import { cellColour, cellText } from "../../../assets/js/blocks/arrays.js";

const ramp = [[255, 255, 255], [0, 0, 255]];
const grey = [100, 90, 80];
const [SIGNED, SHARES] = [{ shares: false }, { shares: true }];

test("numbers have a true minus, and zero has none", () => {
  assert.equal(cellText(-1.25, { shares: false, decimals: 1 }), "−1.3");
  assert.equal(cellText(-0.04, { shares: false, decimals: 1 }), "0.0");
  assert.equal(cellText(2, { shares: false, decimals: 2 }), "2.00");
});

test("shares are whole per cents, halves up as everywhere", () => {
  assert.equal(cellText(0.685, SHARES), "69");
  assert.equal(cellText(0, SHARES), "0");
});

test("a share has the ramp's own colour, a signed number at most a part of it", () => {
  assert.deepEqual(cellColour(1, SHARES, 1, ramp, grey), [0, 0, 255]);
  assert.deepEqual(cellColour(0, SIGNED, 3, ramp, grey), [255, 255, 255]);
  assert.notDeepEqual(cellColour(3, SIGNED, 3, ramp, grey), [0, 0, 255]);
});

test("the sign has its own ramp, and an array of zeros is drawn as the page", () => {
  const [red, green, blue] = cellColour(-3, SIGNED, 3, ramp, grey);
  assert.ok(red > green && green > blue);
  assert.deepEqual(cellColour(0, SIGNED, 0, ramp, grey), [255, 255, 255]);
});
