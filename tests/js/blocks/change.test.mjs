import assert from "node:assert/strict";
import { test } from "node:test";

import { columnsLine } from "../../../assets/js/blocks/change_hero.js";
import { difference, differenceColour, differenceRamps, panelLayout } from "../../../assets/js/blocks/change_pin.js";
import { discRadius, standing } from "../../../assets/js/blocks/discs.js";

test("the area of a disc is the change, and no head is missing", () => {
  assert.equal(discRadius(0.06, 0.06, 20), 20);
  assert.equal(discRadius(0.015, 0.06, 20), 10);
  assert.equal(discRadius(0, 0.06, 20), 1.4);
});

test("a head is named beyond twice its floor, and without a floor nothing is said", () => {
  assert.deepEqual([[0.21, 0.1], [0.2, 0.1], [0.1, 0.1], [0.3, null]].map(([change, floor]) => standing(change, floor)), ["named", "beyond", "within", "plain"]);
});

test("zero is the page's colour on both sides, and half is full", () => {
  const colours = { background: "#ffffff", negative: "#505050", ramp: Array.from({ length: 9 }, (_, i) => [255 - i * 20, 255, 255]) };
  const ramps = differenceRamps(colours);
  assert.equal(ramps.more.length, 7);
  assert.deepEqual(differenceColour(0, ramps), [255, 255, 255]);
  assert.deepEqual(differenceColour(-0.5, ramps), [80, 80, 80]);
  assert.deepEqual(differenceColour(0.9, ramps), [135, 255, 255]);
  assert.equal(differenceRamps({ ...colours, background: "#101010" }).more.length, 6);
});

test("a difference is second minus first", () => {
  assert.deepEqual(difference([[1, 0]], [[0.25, 0.75]]), [[-0.75, 0.75]]);
});

test("columns are as wide as the longer word; what does not fit has no line", () => {
  const { size, places } = columnsLine([1, 2, 3], 66, false, 10, 5);
  assert.equal(size, 10);
  assert.deepEqual(places.map(({ x }) => x), [0, 13, 36]);
  assert.equal(columnsLine([10, 20], 66, false, 10, 5), null);
});

test("cells shrink with their number, are as large in three panels as they fit, and never vanish", () => {
  const three = panelLayout(1120, 7, 9, 3);
  assert.equal(three.cell, 36);
  assert.ok(three.left + 20 + 21 * three.cell + 3 * 64 + 2 * 28 <= 1120);
  assert.equal(panelLayout(358, 7, 9, 1).cell, 30);
  assert.equal(panelLayout(300, 48, 9, 1).cell, 4);
});

test("columns from right to left keep their widths and end where they ended", () => {
  const line = columnsLine([2, 3, 1], 600);
  const back = columnsLine([2, 3, 1], 600, true);
  const end = line.places[2].x + line.places[2].width;
  assert.equal(back.places[0].x + back.places[0].width, end);
  assert.equal(back.places[2].x, 0);
  assert.deepEqual(back.places.map(({ width }) => width), line.places.map(({ width }) => width));
});
