/** Geometry and numbers of one large map. Pure. */

import { FULL } from "../lib/map.js";

const LARGEST_CELL = 52;
const WHOLE_FROM = 2; // px of a cell, below which it is no whole number: a phone's page stays as wide as its screen
const SMALLEST_CELL = 0.5;
const NUMBERS_FROM = 24; // px a cell needs to hold three digits
const LABEL_ROOM = { query: 17, key: 26 }; // px between axis labels; those of the keys are turned

/**
 * Where everything stands in one map; `whole` is the width of all.
 * @param {{column: number, rows: number, columns: number, label: number, bars: number}} room px of the longest label, and
 * for the bars
 */
export function mapLayout({ column, rows, columns, label, bars }) {
  const left = label + 14;
  const room = left + bars + 12;
  const fits = (column - room) / columns;
  const cell = fits < WHOLE_FROM ? Math.max(SMALLEST_CELL, fits) : Math.min(LARGEST_CELL, Math.floor(fits));
  const every = { query: Math.ceil(LABEL_ROOM.query / cell), key: Math.ceil(LABEL_ROOM.key / cell) };
  return {
    left,
    above: label * 0.72 + 22,
    cell,
    every,
    whole: room + cell * columns,
    width: cell * columns,
    height: cell * rows,
    numbers: cell >= NUMBERS_FROM,
  };
}

/** What is said of a cell, in whole per cents: its share of all attention, and the share of its row that is excluded. */
export function cellNumbers(value, mass, row) {
  const whole = (share) => Math.round(100 * share);
  return { share: whole(value / FULL), excluded: mass ? whole(mass[row] / FULL) : null };
}

/** The cell of a map that an arrow key moves to, or null when the key means nothing; edges hold. */
export function nextCell(key, { q, k }, { rows, columns }) {
  const step = { ArrowUp: [-1, 0], ArrowDown: [1, 0], ArrowLeft: [0, -1], ArrowRight: [0, 1] }[key];
  if (!step) return null;
  if (q === null || k === null) return { q: 0, k: 0 };
  const inside = (at, count) => Math.max(0, Math.min(count - 1, at));
  return { q: inside(q + step[0], rows), k: inside(k + step[1], columns) };
}
