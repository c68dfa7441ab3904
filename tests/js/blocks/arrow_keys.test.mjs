import assert from "node:assert/strict";
import test from "node:test";

import { taken } from "../../../assets/js/blocks/arrow_keys.js";

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
