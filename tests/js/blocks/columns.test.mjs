import assert from "node:assert/strict";
import test from "node:test";

import { columnWidths } from "../../../assets/js/blocks/blocks.js";

test("columns share the room, and stand under each other where there is little", () => {
  assert.deepEqual(columnWidths([2, 1], 940, 40), [600, 300]);
  assert.deepEqual(columnWidths([2, 1], 700, 40), [700, 700]);
});
