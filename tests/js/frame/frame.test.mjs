import assert from "node:assert/strict";
import { test } from "node:test";

import { takes } from "../../../assets/js/page/sentence_field.js";

test("Enter takes the sentence, unless it begins a line, is still composing, or is Streamlit's own", () => {
  assert.equal(takes({ key: "Enter" }), true);
  for (const held of ["shiftKey", "ctrlKey", "metaKey", "altKey", "isComposing"]) assert.equal(takes({ key: "Enter", [held]: true }), false);
  assert.equal(takes({ key: "a" }), false);
});
