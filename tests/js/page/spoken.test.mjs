import assert from "node:assert/strict";
import { test } from "node:test";

import { toSay } from "../../../assets/js/page/spoken.js";

const page = (given) => ({ title: "Two readings · Parallax", notices: [], found: [], ...given });

test("nothing is said of what stood before", () => {
  const same = page({ notices: ["A text has at least two words."], found: ["it leans to trophy"] });
  assert.deepEqual(toSay(same, same), []);
  assert.deepEqual(toSay(same, page({})), []);
});

test("a notice is said before a finding, and only what is new", () => {
  const before = page({ found: ["it leans to trophy", "13 heads matter"] });
  const now = page({ notices: ["Too long."], found: ["it leans to suitcase", "13 heads matter"] });
  assert.deepEqual(toSay(before, now), ["Too long.", "it leans to suitcase"]);
});

test("another page is said by its name, and with its finding", () => {
  const now = page({ title: "Whole model · Parallax", found: ["Half of it goes to [SEP]."] });
  assert.deepEqual(toSay(page({}), now), ["Whole model · Parallax", "Half of it goes to [SEP]."]);
});
