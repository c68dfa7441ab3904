import assert from "node:assert/strict";
import test from "node:test";

import { outOfView, taken } from "../../../assets/js/blocks/arrow_keys.js";

const group = {};
const radio = (own = group) => ({ getAttribute: () => "radio", closest: () => own });

test("an arrow key that moved the focus inside the group takes what has the focus now", () => {
  const [before, after] = [radio(), radio()];
  assert.equal(taken("ArrowRight", before, after), after);
  assert.equal(taken("ArrowUp", before, after), after);
});

test("nothing is taken when the focus stayed, another key moved it, or it left the group", () => {
  const before = radio();
  assert.equal(taken("ArrowRight", before, before), null);
  assert.equal(taken("Tab", before, radio()), null);
  assert.equal(taken("ArrowRight", before, radio({})), null);
  assert.equal(taken("ArrowRight", before, { getAttribute: () => null, closest: () => group }), null);
  assert.equal(taken("ArrowRight", before, null), null);
});

test("the row of steps comes back into view for another step alone, and only from below", () => {
  assert.equal(outOfView(null, 3, -400), false, "the page has just opened");
  assert.equal(outOfView(3, 3, -400), false, "the same step, drawn again");
  assert.equal(outOfView(3, 4, 200), false, "in view");
  assert.equal(outOfView(3, 4, -400), true);
});
