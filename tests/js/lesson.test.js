import assert from "node:assert/strict";
import { test } from "node:test";
import { clock, keyAction } from "../../assets/js/frame/lesson.js";

const at = { guess: true, revealed: false, number: 2, last: 8 };

test("a presenter's remote shows findings, then goes on, and back the same way", () => {
  assert.deepEqual(keyAction("PageDown", at), ["show"]);
  assert.deepEqual(keyAction("PageDown", { ...at, revealed: true }), ["go", 3]);
  assert.deepEqual(keyAction("ArrowRight", { ...at, guess: false }), ["go", 3]);
  assert.deepEqual(keyAction("PageUp", { ...at, revealed: true }), ["show"]);
  assert.deepEqual(keyAction("PageUp", at), ["go", 1]);
  assert.equal(keyAction("PageUp", { ...at, number: 1 }), null);
  assert.equal(keyAction("x", at), null);
});

test("the clock counts down, and on beyond its end", () => {
  assert.equal(clock(5, 80), "3:40");
  assert.equal(clock(1, 100), "+0:40");
});
