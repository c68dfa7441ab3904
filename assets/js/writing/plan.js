/** Where everything of a text that is being written stands, and what each token is at a step. Pure. */

import { partOf } from "../lib/envelope.js";
import { nthHead } from "../lib/grid.js";

export const LEFT = 64; // px of the labels
export const RIGHT = 74; // px of the bars
const GAP = 0.36; // of the size, more than a word's width
const MOST_WORDS = 24; // that stand above their columns
const SMALLEST = 17;
const LARGEST = 34;
const ROWS = [
  [12, 28],
  [48, 12],
  [Infinity, 5],
]; // up to so many rows: px of each
export const LAYER_GAP = 14;
const NUMBERS_FROM = { width: 26, height: 18 }; // px of a cell with a number
export const FAINTEST_NUMBER = 10; // per cent
const MOST_HEADS = 10; // that stand side by side on a phone

/**
 * The columns: words above them where they fit, else even ones.
 * @param {{widths: number[], column: number, large?: boolean, left?: number, right?: number, rtl?: boolean}} room widths of
 * the words at size 1; of a text that runs from right to left the first word has the rightmost column
 * @returns {{words: boolean, size: number, boxes: {x: number, width: number}[], start: number, end: number}}
 */
export function columnPlan({ widths, column, large = false, left = LEFT, right = RIGHT, rtl = false }) {
  const room = Math.max(1, column - left - right);
  const total = widths.reduce((sum, width) => sum + width + GAP, 0);
  const size = Math.min(large ? 1.5 * LARGEST : LARGEST, Math.floor((2 * room) / Math.max(total, 0.01)) / 2);
  const words = widths.length <= MOST_WORDS && size >= SMALLEST;
  let x = left;
  const boxes = widths.map((one) => {
    const box = { x, width: words ? (one + GAP) * size : room / widths.length };
    x += box.width;
    return box;
  });
  if (rtl) for (const box of boxes) box.x = left + x - box.x - box.width;
  return { words, size: words ? size : SMALLEST, boxes, start: left, end: x };
}

/** Where a run of columns stands, whichever way they run: its left edge and its width. */
export function spanOf(boxes, first, last) {
  const x = Math.min(boxes[first].x, boxes[last].x);
  return { x, width: Math.max(boxes[first].x + boxes[first].width, boxes[last].x + boxes[last].width) - x };
}

/** How high a row is, by how many there are. */
export function rowHeight(count) {
  return ROWS.find(([most]) => count <= most)[1];
}

/** What a token is at a step: "prompt", "written", "new" or "later". */
export function stateOf(place, nRead, step) {
  if (place < nRead) return "prompt";
  if (place < nRead + step) return "written";
  return place === nRead + step ? "new" : "later";
}

/** Runs of columns in one state: [{state, from, to}], the last column of each included. */
export function stretches(columns, nRead, step) {
  const found = [];
  columns.forEach((place, at) => {
    const state = stateOf(place, nRead, step);
    if (found.at(-1)?.state === state) found.at(-1).to = at;
    else found.push({ state, from: at, to: at });
  });
  return found;
}

/** The first column that a row cannot see: those of tokens behind the one that looks. */
export function futureFrom(columns, row) {
  const at = columns.findIndex((place) => place > row);
  return at < 0 ? columns.length : at;
}

/** How many columns at the left a head cannot see from a row: those behind the sliding window of its layer, where it has one. */
export function pastUntil(columns, row, window) {
  return window ? columns.filter((place) => place <= row - window).length : 0;
}

/** Whether a cell has room for its number, and is worth one. */
export function numbered(percent, width, height) {
  return percent >= FAINTEST_NUMBER && width >= NUMBERS_FROM.width && height >= NUMBERS_FROM.height;
}

/** The heads that a phone shows: all, or where there are too many those of one layer. */
export function headsShown(layers, heads, layer, narrow) {
  const all = Array.from({ length: layers * heads }, (_, i) => i);
  return narrow && all.length > MOST_HEADS ? all.slice(layer * heads, (layer + 1) * heads) : all;
}

/** Which case of the sentence a head's look is at a step, with the values of its slots. */
export function lookOf(spec, arrays, step, index) {
  const count = spec.layers * spec.heads;
  const [place, percent, told] = partOf(arrays.looks, step * count + index, 1);
  const row = spec.rows[step];
  return {
    place,
    percent,
    told,
    row,
    values: {
      step: String(step + 1),
      steps: String(spec.steps),
      query: spec.names[row],
      plain: spec.plain[row],
      key: spec.names[place],
      head: nthHead(index, spec.heads),
      percent: `${percent}\u00a0%`,
      mass: `${arrays.mass.data[step * count + index]}\u00a0%`,
      new: spec.plain[spec.n_read + step],
      chance: spec.chances[step],
    },
  };
}

/** Whole per cents of one head at one step, a number a column. */
export function sharesOf(spec, arrays, step, index) {
  return partOf(arrays.shares, step * arrays.shares.shape[1] + index, 1);
}
