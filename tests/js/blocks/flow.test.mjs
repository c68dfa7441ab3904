import assert from "node:assert/strict";
import test from "node:test";
import { contrast, inkOn, parseColour } from "../../../assets/js/lib/colour.js";
import { arrayLabel, cellColour, cellText } from "../../../assets/js/blocks/flow.js";
import { readFileSync } from "node:fs";

const TOKENS = JSON.parse(readFileSync(new URL("../../../assets/tokens.json", import.meta.url)));
const SIGNED = { shares: false, decimals: 1 };
const SHARES = { shares: true, decimals: 0 };

function colours(theme) {
  const tokens = TOKENS[theme];
  return { ...tokens, ramp: tokens.sequential.map(parseColour), negative: tokens.signed.negative_end };
}

test("numbers have a true minus, none before zero, and shares are whole per cents", () => {
  assert.deepEqual([-1.06, -0.04, 0, 0.96, 12].map((value) => cellText(value, SIGNED)), ["−1.1", "0.0", "0.0", "1.0", "12.0"]);
  assert.equal(cellText(-0.126, { shares: false, decimals: 2 }), "−0.13");
  assert.equal(cellText(0.684, SHARES), "68\u00a0%");
  assert.equal(cellText(null, SIGNED), "");
});

test("zero is the page, positive and negative part from it and from each other", () => {
  for (const theme of ["light", "dark"]) {
    const look = colours(theme);
    assert.deepEqual(cellColour(0, SIGNED, 2.5, look), parseColour(look.background));
    const [plus, minus] = [cellColour(2.5, SIGNED, 2.5, look), cellColour(-2.5, SIGNED, 2.5, look)];
    assert.ok(plus[2] - plus[0] > minus[2] - minus[0] + 20, "blue against grey");
    assert.deepEqual(cellColour(9, SIGNED, 2.5, look), plus);
    assert.deepEqual(cellColour(1, SHARES, 2.5, look), look.ramp.at(-1));
  }
});

test("every number is readable on its own colour", () => {
  for (const theme of ["light", "dark"]) {
    const look = colours(theme);
    for (let value = -5; value <= 5; value += 0.25) {
      const colour = cellColour(value, SIGNED, 5, look);
      const ink = parseColour(inkOn(colour, look.number_on_light, look.number_on_dark));
      assert.ok(contrast(ink, colour) >= 4.35, `${theme} ${value}`);
    }
  }
});

test("an array says its name, its size, and what is framed", () => {
  const array = { ...SHARES, title: [["plain", "weights"]], values: [[0.25, 0.75], [null, 1]], cell: [0, 1], now: true };
  assert.equal(arrayLabel(array), "weights, 2 rows of 2; framed: 75\u00a0%; this step");
  assert.equal(arrayLabel({ ...array, cell: [1, 0], now: false }), "weights, 2 rows of 2; framed: masked");
  assert.match(arrayLabel({ ...array, values: array.values.slice(0, 1) }), /^weights, 1 row of 2;/);
  const beside = { ...array, title: [["plain", "X"], ["muted", " words,"]], cell: null, now: false };
  assert.equal(arrayLabel(beside), "X words, 2 rows of 2");
});
