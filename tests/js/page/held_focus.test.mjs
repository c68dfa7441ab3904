import assert from "node:assert/strict";
import test from "node:test";
import { lost, onTop } from "../../../assets/js/page/held_focus.js";

test("the focus is lost on nothing, on the page, and on what is switched off", () => {
  const body = {};
  assert.equal(lost({ body, activeElement: null }), true);
  assert.equal(lost({ body, activeElement: body }), true);
  assert.equal(lost({ body, activeElement: { disabled: true } }), true);
  assert.equal(lost({ body, activeElement: { disabled: false } }), false);
  assert.equal(lost({ body, activeElement: {} }), false);
});

test("of several dialogs the last lies on top", () => {
  assert.equal(onTop({ querySelectorAll: () => ["first", "second"] }), "second");
  assert.equal(onTop({ querySelectorAll: () => [] }), null);
});
