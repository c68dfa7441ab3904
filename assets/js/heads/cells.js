/** Geometry and numbers of one large map. Pure. */

import { inkOver } from "../lib/chart.js";
import { reads } from "../lib/colour.js";
import { FULL, inkLeft } from "../lib/map.js";

const LARGEST_CELL = 52;
const WHOLE_FROM = 2; // px of a cell, below which it is no whole number: a phone's page stays as wide as its screen
const SMALLEST_CELL = 0.5;
const NUMBERS_FROM = 24; // px a cell needs to hold three digits
const LABEL_ROOM = { query: 17, key: 26 }; // px between axis labels; those of the keys are turned
export const QUIET_BELOW = 0.5; // of its ink; a row below has muted numbers, where they are read on their cells
export const FAINTEST_LINE = 0.04;

/**
 * Where everything stands in one map.
 * Of a text that runs from right to left the words of the rows stand at the right, the bars at the left; `before` is what
 * a canvas holds left of the map, `whole` the width of all.
 * @param {{column: number, rows: number, columns: number, label: number, bars: number, rtl?: boolean, lean?: number}} room px
 * of the longest label, for the bars, and how far turned words reach beside the map
 */
export function mapLayout({ column, rows, columns, label, bars, rtl = false, lean = 0 }) {
  const [words, other] = [label + 14, bars + 12];
  const left = rtl ? Math.max(other, lean) : words;
  const before = rtl ? other : 0;
  const above = label * 0.72 + 22;
  const room = rtl ? left + words : left + other;
  const fits = (column - room) / columns;
  const cell = fits < WHOLE_FROM ? Math.max(SMALLEST_CELL, fits) : Math.min(LARGEST_CELL, Math.floor(fits));
  const every = { query: Math.ceil(LABEL_ROOM.query / cell), key: Math.ceil(LABEL_ROOM.key / cell) };
  return {
    left,
    before,
    above,
    cell,
    every,
    whole: room + cell * columns,
    width: cell * columns,
    height: cell * rows,
    numbers: cell >= NUMBERS_FROM,
    rtl,
  };
}

/** How much of its ink a row keeps, by what was set aside of it. */
export const inkOf = (mass, row) => (mass ? inkLeft(1 - mass[row] / FULL) : 1);

/** The ink of a number on a cell of a colour, by how much ink its row has left. */
export const numberInk = (left, on, colours) =>
  left < QUIET_BELOW && reads(colours.muted, on) ? colours.muted : inkOver(on, colours);

/** What is said of a cell, in whole per cents: of what words have, of all attention, set aside, ink. */
export function cellNumbers(value, mass, row) {
  const aside = mass ? mass[row] / FULL : 0;
  const whole = (share) => Math.round(100 * share);
  return {
    share: whole(value / FULL),
    all: whole((value / FULL) * (1 - aside)),
    aside: whole(aside),
    ink: whole(inkOf(mass, row)),
  };
}

/** Lines worth drawing, the ones to look at last so that they lie on top. A word in focus leaves only its own in ink. */
export function lineLinks(weights, rows, columns, focus) {
  const links = [];
  for (let q = 0; q < rows; q++)
    for (let k = 0; k < columns; k++) {
      const weight = weights[q * columns + k] / FULL;
      if (weight >= FAINTEST_LINE) links.push({ q, k, weight, inked: focus === null || q === focus || k === focus });
    }
  return links.sort((a, b) => Number(a.inked) - Number(b.inked) || a.weight - b.weight);
}

/** The strongest cells, for maps too large for a table. */
export function strongestCells(weights, columns, count) {
  const order = Array.from(weights.keys()).sort((a, b) => weights[b] - weights[a]);
  return order.slice(0, count).map((i) => ({ q: Math.floor(i / columns), k: i % columns, weight: weights[i] / FULL }));
}
