/** What parts add to a next word: the axis holds zero, every bar and every ring. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { reach } from "../../../assets/js/blocks/direct_bars.js";

test("the axis goes from the lowest to the highest of bars and rings, and holds zero", () => {
  assert.deepEqual(reach([{ gives: 0.5 }, { gives: -0.2, silenced: -0.7 }]), [-0.7, 0.5]);
  assert.deepEqual(reach([{ gives: 0.5 }, { gives: 0.2, silenced: null }]), [0, 0.5]);
});

test("nothing at all still has an axis", () => assert.deepEqual(reach([{ gives: 0 }]), [-1, 1]));
