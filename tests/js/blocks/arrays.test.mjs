import assert from "node:assert/strict";
import test from "node:test";
import { cellColour, cellText } from "../../../assets/js/blocks/arrays.js";

const ramp = [[255, 255, 255], [0, 0, 255]];
const grey = [100, 90, 80];

test("numbers have a true minus, and zero has none", () => {
  assert.equal(cellText(-1.25, "signed", 1), "−1.3");
  assert.equal(cellText(-0.04, "signed", 1), "0.0");
  assert.equal(cellText(2, "signed", 2), "2.00");
});

test("shares are whole per cents, halves up as everywhere", () => {
  assert.equal(cellText(0.685, "share"), "69");
  assert.equal(cellText(0, "share"), "0");
});

test("a share has the ramp's own colour, a signed number at most a part of it", () => {
  assert.deepEqual(cellColour(1, "share", 1, ramp, grey), [0, 0, 255]);
  assert.deepEqual(cellColour(0, "signed", 3, ramp, grey), [255, 255, 255]);
  assert.notDeepEqual(cellColour(3, "signed", 3, ramp, grey), [0, 0, 255]);
});

test("the sign has its own ramp, and an array of zeros is drawn as the page", () => {
  const [red, green, blue] = cellColour(-3, "signed", 3, ramp, grey);
  assert.ok(red > green && green > blue);
  assert.deepEqual(cellColour(0, "signed", 0, ramp, grey), [255, 255, 255]);
});
