import assert from "node:assert/strict";
import { test } from "node:test";
import { isHeard, keyAction } from "../../assets/js/frame/lesson.js";

const at = { guess: true, revealed: false, number: 2, last: 8 };

test("a presenter's remote shows findings, then goes on, and back the same way", () => {
  for (const key of ["PageDown", "ArrowRight"]) {
    assert.deepEqual(keyAction(key, at), ["show"]);
    assert.deepEqual(keyAction(key, { ...at, revealed: true }), ["go", 3]);
    assert.deepEqual(keyAction(key, { ...at, guess: false }), ["go", 3]);
  }
  for (const key of ["PageUp", "ArrowLeft"]) {
    assert.deepEqual(keyAction(key, { ...at, revealed: true }), ["show"]);
    assert.deepEqual(keyAction(key, at), ["go", 1]);
    assert.equal(keyAction(key, { ...at, number: 1 }), null);
  }
});

test("no key leaves the lesson", () => {
  assert.equal(keyAction("PageDown", { ...at, number: 8, revealed: true }), null);
  assert.equal(keyAction("ArrowRight", { ...at, number: 8, guess: false }), null);
  for (const key of ["Escape", "x", "q"]) assert.equal(keyAction(key, at), null);
});

test("letters show and enlarge, in capitals too; Home and End are the ends", () => {
  const keys = { f: ["show"], F: ["show"], P: ["large"] };
  for (const [key, action] of Object.entries({ ...keys, Home: ["go", 1], End: ["go", 8] }))
    assert.deepEqual(keyAction(key, at), action);
});

test("a field keeps its keys, and a grid or a slider its arrows", () => {
  const inside = (...names) => names.map((name) => ({ matches: (sheet) => sheet.split(", ").includes(name) }));
  assert.equal(isHeard("PageDown", inside("textarea")), false);
  assert.equal(isHeard("f", inside("textarea")), false);
  for (const place of ['[role="grid"]', '[role="slider"]', '[role="tablist"]', "[data-head]", "select"]) {
    assert.equal(isHeard("ArrowRight", inside(place)), false);
    assert.equal(isHeard("Home", inside(place)), false);
    assert.equal(isHeard("PageDown", inside(place)), true);
  }
  assert.equal(isHeard("ArrowRight", inside("button")), true);
});
