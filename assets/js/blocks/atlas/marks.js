/** What the pictures of Whole model share: the greys, and the marks of patterns as small pictures of themselves. */

import { mixed, parseColour, rampAt } from "../../lib/colour.js";
import { box, frame } from "../../lib/chart.js";
import { svg } from "../../lib/spans.js";

const SIDE = 5; // cells of a mark
const FILLED = {
  sinks: (column) => column === 0 || column === SIDE - 1,
  back: (column, row) => column === row - 1,
  ahead: (column, row) => column === row + 1,
  itself: (column, row) => column === row,
  elsewhere: (column, row) => Math.abs(column - row) === 3,
  stop: (column, row) => column === 3 && row < 4,
  one: (column) => column === 2,
  even: () => true,
};
const MUTED_AT = 0.6; // where the greys pass the colour of muted text
const RAMP_STOPS = 11;

/** A grey between the page (0) and the text (1), by way of muted text. */
export function grey(colours, x) {
  const [page, muted, text] = [colours.background, colours.muted, colours.text].map(parseColour);
  const part = Math.max(0, Math.min(1, x));
  return part < MUTED_AT ? mixed(page, muted, part / MUTED_AT) : mixed(muted, text, (part - MUTED_AT) / (1 - MUTED_AT));
}

/** Shares of attention have the ink of weights; all else is grey. */
export function shadeOf(colours, value, attention) {
  return attention ? rampAt(colours.ramp, value) : grey(colours, value);
}

/** The ramp of a key, from one shade to another. */
export function legendRamp(colours, attention, from = 0, to = 1) {
  return Array.from({ length: RAMP_STOPS }, (_, i) =>
    shadeOf(colours, from + ((to - from) * i) / (RAMP_STOPS - 1), attention),
  );
}

/** Which of the 5 × 5 cells a mark fills, as [column, row]: the pattern itself, row looks at column. */
export function markCells(name) {
  const sides = Array.from({ length: SIDE }, (_, i) => i);
  return sides.flatMap((row) => sides.filter((column) => FILLED[name]?.(column, row)).map((column) => [column, row]));
}

/** A mark in the ink of what surrounds it. */
export function mark(name, size, place = {}) {
  const ink = "currentColor";
  const [inset, side] = name === "even" ? [0.5, 1] : [0, 2];
  const diagonal = { x1: 0.4, y1: 0.4, x2: 9.6, y2: 9.6, stroke: ink, "stroke-width": 0.6, "stroke-opacity": 0.6 };
  return svg(
    "svg",
    { width: size, height: size, viewBox: "0 0 10 10", "aria-hidden": "true", ...place },
    frame(0.4, 0.4, 9.2, 9.2, ink, 0.7, { "stroke-opacity": 0.45 }),
    (name === "back" || name === "ahead") && svg("line", diagonal),
    markCells(name).map(([column, row]) => box(2 * column + inset, 2 * row + inset, side, side, ink)),
  );
}
