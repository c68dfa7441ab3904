import assert from "node:assert/strict";
import { test } from "node:test";

import { besides } from "../../../assets/js/tour/tour.js";

const card = { width: 340, height: 180 };
const desk = { width: 1280, height: 800 };

test("the card stands below the thing, else above it, else in the corner", () => {
  assert.deepEqual(besides({ left: 100, top: 200, bottom: 300, width: 200 }, card, desk), { left: 30, top: 320 });
  assert.deepEqual(besides({ left: 100, top: 500, bottom: 700, width: 200 }, card, desk), { left: 30, top: 300 });
  assert.deepEqual(besides({ left: 0, top: 10, bottom: 790, width: 1280 }, card, desk), { left: 924, top: 604 });
});

test("it is on the screen wherever the thing is, on a phone too, and without a thing", () => {
  for (const screen of [desk, { width: 390, height: 844 }])
    for (const box of [null, { left: -900, top: -50, bottom: -10, width: 60 }, { left: 2000, top: 3000, bottom: 3100, width: 60 }]) {
      const { left, top } = besides(box, card, screen);
      assert.ok(left >= 16 && left + card.width <= screen.width - 16 + 1e-9, `${left}`);
      assert.ok(top >= 16 && top + card.height <= screen.height, `${top}`);
    }
});
