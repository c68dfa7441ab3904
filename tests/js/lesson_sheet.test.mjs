import assert from "node:assert/strict";
import test from "node:test";

import { darkPath } from "../../assets/js/components/lesson_sheet.js";

test("each run of dark squares is one rectangle of a path", () => {
  assert.equal(darkPath(["110", "001"]), "M0 0h2v1h-2zM2 1h1v1h-1z");
  assert.equal(darkPath(["1011"]), "M0 0h1v1h-1zM2 0h2v1h-2z");
  assert.equal(darkPath(["000"]), "");
});
