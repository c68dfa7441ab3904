import assert from "node:assert/strict";
import test from "node:test";
import { gridMove, rowMove, sideways } from "../../../assets/js/lib/keyboard.js";

test("arrow keys move in a grid of 3 layers by 5 heads and stop at its edges", () => {
  assert.equal(gridMove("ArrowRight", false, 6, 3, 5), 7);
  assert.equal(gridMove("ArrowRight", false, 9, 3, 5), 9);
  assert.equal(gridMove("ArrowLeft", false, 5, 3, 5), 5);
  assert.equal(gridMove("ArrowDown", false, 6, 3, 5), 11);
  assert.equal(gridMove("ArrowDown", false, 11, 3, 5), 11);
  assert.equal(gridMove("ArrowUp", false, 6, 3, 5), 1);
});

test("Home and End: ends of the layer, with Ctrl of all", () => {
  assert.equal(gridMove("Home", false, 7, 3, 5), 5);
  assert.equal(gridMove("End", false, 7, 3, 5), 9);
  assert.equal(gridMove("Home", true, 7, 3, 5), 0);
  assert.equal(gridMove("End", true, 7, 3, 5), 14);
});

test("other keys mean nothing", () => {
  assert.equal(gridMove("x", false, 7, 3, 5), null);
  assert.equal(gridMove("toString", false, 7, 3, 5), null);
  assert.equal(rowMove("constructor", 1, 3), null);
});

test("words in a row", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "Home", "End", "Tab"].map((key) => rowMove(key, 1, 7)), [0, 2, 0, 6, null]);
  assert.equal(rowMove("ArrowLeft", 0, 7), 0);
});

test("arrows to the sides change theirs where places run from right to left", () => {
  assert.deepEqual(["ArrowLeft", "ArrowRight", "ArrowUp", "Home"].map((key) => sideways(key, true)), ["ArrowRight", "ArrowLeft", "ArrowUp", "Home"]);
  assert.equal(sideways("ArrowLeft", false), "ArrowLeft");
});

test("in a turned grid the arrows to the sides change the layer", () => {
  assert.deepEqual(
    ["ArrowRight", "ArrowDown", "Home"].map((key) => gridMove(key, false, 4, 30, 9, true)),
    [13, 5, 0],
  );
});
