/** The score line, its dots, its slots, and the dots of other orders: where things stand. */

import assert from "node:assert/strict";
import { test } from "node:test";
import { shareStep, swarm } from "../../../assets/js/blocks/carried.js";
import { apart } from "../../../assets/js/blocks/matter.js";
import { besideArrow, fitsOver, lineScale, nameBoxes } from "../../../assets/js/blocks/score_line.js";
import { piled } from "../../../assets/js/lib/chart.js";
import { refusal } from "../../../assets/js/blocks/second_words.js";

const near = (one, other) => assert.ok(Math.abs(one - other) < 1e-9, `${one} is not ${other}`);

test("the typed word stands at 84 per cent, on a phone at 80, so that the other one lies on the longer side", () => {
  const falling = [{ score: 0.1 }, { score: -0.05 }];
  const X = lineScale(falling, [0.2, 0.25], 1000, false);
  near(X(0.1), 840);
  near(X(-0.05), 840 - 750);
  near(lineScale(falling, [0.2, 0.25], 400, true)(0.1), 320);
});

test("a score that rises is mirrored", () => {
  const X = lineScale([{ score: -0.05 }, { score: 0.1 }], [0.2, 0.25], 1000, false);
  near(X(-0.05), 160);
  near(X(0.1), 160 + 750);
});

test("dots of one column stand on each other", () => {
  const X = (value) => value * 100;
  assert.deepEqual(piled([0.1, 0.11, 0.5], X, 10).map(({ x, row }) => [x, row]), [[10, 0], [10, 1], [50, 0]]);
});

test("dots of one value above the tallest column go into the next", () => {
  const found = piled(Array(5).fill(0.5), () => 70, 7, 2);
  assert.deepEqual(found.map(({ x, row }) => [x, row]), [[70, 0], [70, 1], [77, 0], [77, 1], [84, 0]]);
});

test("dots around a height take turns above and below", () => {
  assert.deepEqual(swarm([1, 1, 1], () => 14, 7, 6).map(({ x, y }) => [x, y + 0]), [[14, 0], [14, 6], [14, -6]]);
});

test("names of one side never overlap and stay inside the picture", () => {
  const gauge = (text) => text.length / 2;
  for (const xs of [[300, 310], [310, 300], [5, 8], [395, 398], [200, 380]]) {
    const marks = [{ word: "delicious", first: true }, { word: "tasty", first: false }];
    const boxes = nameBoxes(marks, xs, 600, false, gauge).map(({ x, size }, i) => [x, x + gauge(marks[i].word) * size + 56]);
    const [left, right] = boxes.sort((one, other) => one[0] - other[0]);
    assert.ok(left[0] >= 0 && left[1] <= right[0] + 1e-9, JSON.stringify(boxes));
  }
});

test("what is said of an arrow stays inside the picture, past its tip or over it", () => {
  for (const width of [366, 1120])
    for (const to of [0, 0.2, 0.35, 0.47, 0.6, 0.8].map((part) => part * width))
      for (const [from, edge] of [[0.8 * width, 0.7 * width], [0, 0.1 * width]]) {
        const room = 30 * (width < 500 ? 6.4 : 7.1);
        const { x, start } = besideArrow(from, to, edge, width, 30, width < 500);
        assert.ok(start ? x >= 0 && x + room <= width : x <= width && x >= room, `${width} ${from} ${to}: ${x}`);
      }
});

test("names of points that would touch stand under each other", () => {
  const found = apart([{ name: "L1H10", x: 12, y: 52 }, { name: "L2H7", x: 10, y: 50 }, { name: "L0H0", x: 200, y: 51 }]);
  assert.deepEqual(found.map(({ name, y }) => [name, y]), [["L2H7", 50], ["L0H0", 51], ["L1H10", 65]]);
});

test("shares on the axis of the bars stand far enough apart to be read", () => {
  assert.equal(shareStep(2000), 0.1);
  assert.equal(shareStep(374), 0.2);
  assert.equal(shareStep(100), 0.5);
});

test("a second word that is one of the four, or several, is refused in the slot", () => {
  const legend = { one_word: "One word, please.", taken: "It is one already." };
  assert.equal(refusal("Hungry ", ["hungry"], legend), legend.taken);
  assert.equal(refusal("very sweet", [], legend), legend.one_word);
  assert.equal(refusal("sweet", ["hungry"], legend), "");
  assert.equal(refusal("  ", ["hungry"], legend), "");
});

test("what is said of the order of four words stands over their gap only where no name does", () => {
  assert.ok(fitsOver("both words agree", 250, 450, [{ x: 470, width: 90 }]));
  assert.ok(!fitsOver("both words agree", 250, 450, [{ x: 400, width: 90 }]), "a name");
  assert.ok(!fitsOver("both words agree", 250, 320, []), "a narrow gap");
});
