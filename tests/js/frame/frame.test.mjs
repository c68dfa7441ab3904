import assert from "node:assert/strict";
import { test } from "node:test";

import { isPick } from "../../../assets/js/frame/orientation.js";
import { takes } from "../../../assets/js/page/sentence_field.js";
import { remembered } from "../../../assets/js/frame/remembered.js";

function store() {
  const kept = new Map();
  return { getItem: (key) => kept.get(key) ?? null, setItem: (key, value) => kept.set(key, value) };
}

test("what is kept stays kept for every later page, each thing under its own name", () => {
  const here = store();
  const first = remembered("line", () => here);
  assert.equal(first.kept(), false);
  first.keep();
  assert.equal(first.kept(), true);
  assert.equal(remembered("line", () => here).kept(), true);
  assert.equal(remembered("other", () => here).kept(), false);
});

test("a browser that keeps nothing remembers as long as the page stands", () => {
  const refused = () => {
    throw new Error("denied");
  };
  const memory = remembered("line", refused);
  assert.equal(memory.kept(), false);
  memory.keep();
  assert.equal(memory.kept(), true);
});

test("a click counts if it came through a head or a word, in whatever component", () => {
  const node = (matches) => ({ matches: () => matches });
  assert.equal(isPick({ composedPath: () => [node(false), node(true), {}] }), true);
  assert.equal(isPick({ composedPath: () => [node(false), {}] }), false);
});

test("Enter takes the sentence, unless it begins a line, is still composing, or is Streamlit's own", () => {
  assert.equal(takes({ key: "Enter" }), true);
  for (const held of ["shiftKey", "ctrlKey", "metaKey", "altKey", "isComposing"]) assert.equal(takes({ key: "Enter", [held]: true }), false);
  assert.equal(takes({ key: "a" }), false);
});
