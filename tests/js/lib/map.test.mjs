/** Maps of words: which cells are painted, which are hidden, and where each stands. */
import assert from "node:assert/strict";
import { test } from "node:test";
import { masked, paintCells } from "../../../assets/js/lib/map.js";

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

test("large cells stand a px apart", () => {
  const paper = pen();
  const told = [];
  const map = {
    rows: 1,
    columns: 2,
    cell: 11,
    colours: {},
    hidden: masked(false),
    colour,
  };
  paintCells(paper, map, (...cell) => told.push(cell));
  assert.deepEqual(of("cell", paper), [
    [0, 0, 10, 10],
    [11, 0, 10, 10],
  ]);
  assert.deepEqual(told[1], [0, 1, [2, 3, 5], 11, 0]);
});
