import test from "node:test";
import assert from "node:assert/strict";

import { returns } from "../../../assets/js/frame/returned.js";

/** How often a run is asked for by a line that is connected, or not, one after the other. */
function asked(...states) {
  let count = 0;
  const line = returns(() => (count += 1));
  for (const connected of states) line(connected);
  return count;
}

test("a line that comes back asks for one run", () => {
  assert.equal(asked(true, false, false, true, true), 1);
  assert.equal(asked(true, false, true, false, true), 2);
});

test("a line that only begins or only ends asks for nothing", () => {
  assert.equal(asked(true, true), 0);
  assert.equal(asked(true, false), 0);
});
