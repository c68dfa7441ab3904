import test from "node:test";
import assert from "node:assert/strict";

import { returns } from "../../../assets/js/frame/returned.js";

/** How often a run is asked for, after what happened one after the other. */
function asked(...happened) {
  let count = 0;
  const follows = returns(() => (count += 1));
  for (const one of happened) {
    if (one === "lost" || one === "back") follows.line(one === "back");
    else follows[one]();
  }
  return count;
}

test("what was done while the server was away is said once it is back", () => {
  assert.equal(asked("lost", "did", "back"), 1);
  assert.equal(asked("lost", "did", "lost", "back"), 1);
});

test("what was said into a line that was dead already is said again", () => {
  assert.equal(asked("did", "began", "did", "lost", "back"), 1);
});

test("a page that only waited asks for nothing", () => {
  assert.equal(asked("lost", "back"), 0);
  assert.equal(asked("did", "began", "lost", "back"), 0);
  assert.equal(asked("back", "did", "back"), 0);
});
