/** A small map of any shape fits its column. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { kindLayout } from "../../../assets/js/blocks/small_map.js";
import { everyWord } from "../../../assets/js/lib/map.js";

const words = (count, text = "garden") => Array(count).fill(text);

test("few words have large cells, many words small ones, and all fit the column", () => {
  assert.equal(kindLayout(words(3), words(3), 380).cell, 30);
  for (const [rows, columns] of [[8, 9], [1, 40], [40, 40], [12, 3]]) {
    const { cell, width } = kindLayout(words(rows, "a word of many letters"), words(columns, "another long word"), 380);
    assert.ok(width <= 380, `${rows} × ${columns}: ${width}`);
    assert.ok(cell >= 5 && cell <= 30);
  }
});

test("words that would touch are left out", () => {
  assert.equal(everyWord(kindLayout(words(8), words(8), 380).cell), 1);
  assert.ok(everyWord(kindLayout(words(40), words(40), 380).cell) > 1);
});
