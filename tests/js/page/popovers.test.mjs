import assert from "node:assert/strict";
import test from "node:test";
import { reached } from "../../../assets/js/page/popovers.js";

test("the Tab key reaches what is drawn, not switched off, and a stop", () => {
  const node = (name, tabIndex = 0, disabled = false, drawn = 1) => ({ name, tabIndex, disabled, getClientRects: () => new Array(drawn) });
  const place = { querySelectorAll: () => [node("hidden", 0, false, 0), node("off", 0, true), node("roving", -1), node("first"), node("last")] };
  assert.deepEqual(reached(place).map(({ name }) => name), ["first", "last"]);
});
