/** Maps of words: which cells are painted, which are hidden, and where each stands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { everyWord, hatch, masked, paintCells, shortened } from "../../../assets/js/lib/map.js";

/** A pen that writes down what it paints. */
function pen() {
  const painted = [];
  const nothing = ["save", "restore", "beginPath", "clip", "moveTo", "lineTo", "stroke"];
  const quiet = Object.fromEntries(nothing.map((name) => [name, () => {}]));
  return {
    painted,
    ...quiet,
    fillRect: (...box) => painted.push(["cell", ...box]),
    rect: (...box) => painted.push(["hidden", ...box]),
  };
}

const colour = () => [2, 3, 5];
const of = (kind, { painted }) => painted.filter(([one]) => one === kind).map(([, ...box]) => box);

test("a causal mask hides what comes later, a run of cells at a time", () => {
  const paper = pen();
  paintCells(paper, { rows: 3, columns: 3, cell: 5, colours: {}, hidden: masked(true), colour });
  assert.equal(of("cell", paper).length, 6);
  assert.deepEqual(of("hidden", paper), [
    [5, 0, 10, 5],
    [10, 5, 5, 5],
  ]);
  assert.deepEqual([masked(false)(0, 2), masked(true)(1, 1)], [false, false]);
});

test("large cells stand a px apart, and one without a colour is left out", () => {
  const paper = pen();
  const told = [];
  const map = {
    rows: 1,
    columns: 2,
    cell: 11,
    colours: {},
    hidden: masked(false),
    colour: (q, k) => (k ? [1, 1, 1] : null),
  };
  paintCells(paper, map, (...cell) => told.push(cell));
  assert.deepEqual(of("cell", paper), [[11, 0, 10, 10]]);
  assert.deepEqual(told, [[0, 1, [1, 1, 1], 11, 0]]);
});

test("hairlines of neighbours go on in each other", () => {
  const ends = [];
  for (const x of [0, 10])
    hatch({ ...pen(), moveTo: (from, y) => ends.push(from + y) }, { x, y: 0, width: 10, height: 5 }, "");
  assert.ok(
    ends.every((at) => at % 7 === 0),
    String(ends),
  );
});

test("words that would touch are left out, and long ones are cut", () => {
  assert.deepEqual([30, 13, 12, 5].map(everyWord), [1, 1, 2, 3]);
  assert.equal(shortened("telescopes", 10), "telescopes");
  assert.equal(shortened("telescopes", 7), "telesc…");
});
