import assert from "node:assert/strict";
import { test } from "node:test";
import { opened } from "../../../assets/js/blocks/caption.js";
import { copyText, outcome } from "../../../assets/js/blocks/copy_link.js";

test("a click opens a term, another switches, the same closes", () => {
  assert.equal(opened(null, "head"), "head");
  assert.equal(opened("head", "sink"), "sink");
  assert.equal(opened("head", "head"), null);
});

test("copying falls back to a selection and says the address where both fail", async () => {
  const written = [];
  assert.equal(await copyText("x", { clipboard: { writeText: async (text) => written.push(text) } }), true);
  assert.deepEqual(written, ["x"]);
  const field = { select() {}, remove() {} };
  const page = { createElement: () => field, body: { append() {} }, execCommand: () => false };
  assert.equal(await copyText("y", { clipboard: undefined, document: page }), false);
  assert.equal(field.value, "y");
  assert.equal(outcome(false, "http://here/?v=1"), "http://here/?v=1");
  assert.match(outcome(true, ""), /exactly this view/);
  assert.match(outcome(true, "x".repeat(25001)), /has 25001 characters/);
});
