import assert from "node:assert/strict";
import test from "node:test";

import { addressOf, arcOf } from "../../assets/js/components/examples.js";

test("an example leads to Heads with its parameters escaped", () => {
  assert.equal(addressOf({ model: "minilm", text: "A & B?" }), "./?model=minilm&text=A+%26+B%3F");
});

test("an arc is as wide as its share, and a word that attends to itself has a loop", () => {
  assert.equal(arcOf(10, 90, 100).width, 6);
  assert.equal(arcOf(10, 90, 5).width, 1);
  assert.match(arcOf(50, 50, 80).path, /^M57,/);
  assert.match(arcOf(10, 90, 80).path, /^M10,/);
});
