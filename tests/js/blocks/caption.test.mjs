import assert from "node:assert/strict";
import { test } from "node:test";
import { opened } from "../../../assets/js/blocks/caption.js";
import { copyText, marked, outcome } from "../../../assets/js/blocks/copy_link.js";

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
  assert.match(outcome(true, ""), /opens this view/);
  assert.match(outcome(true, "x".repeat(25001)), /at 25001 characters/);
});

test("a copied link begins and ends with its marks, and has each once", () => {
  const address = "https://example.org/deep/readings?v=1&text=it+was%20%26+is&pins=L1H2&pins=L3H1#top";
  const copied = marked(address);
  assert.equal(copied, "https://example.org/deep/readings?c=1&v=1&text=it+was+%26+is&pins=L1H2&pins=L3H1&e=1");
  assert.equal(marked(copied), copied);
  assert.equal(marked("https://example.org/"), "https://example.org/?c=1&e=1");
});
