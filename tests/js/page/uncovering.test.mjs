import test from "node:test";
import assert from "node:assert/strict";
import { uncovered } from "../../../assets/js/page/uncovering.js";

test("a page is to be seen down to the first part that is still coming, it included", () => {
  assert.equal(uncovered([]), 0);
  assert.equal(uncovered([false, false, false]), 3);
  assert.equal(uncovered([true, false, true]), 1);
  assert.equal(uncovered([false, false, true, false, true]), 3);
});
