/** What the pictures of Whole model share: the greys, and the marks of patterns as small pictures of themselves. */

import { mixed, parseColour, rampAt } from "../../lib/colour.js";
import { svg } from "../../lib/spans.js";

const SIDE = 5; // cells of a mark
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
  const rows = Array.from({ length: SIDE }, (_, i) => i);
  return (
    {
      sinks: rows.flatMap((i) => [
        [0, i],
        [SIDE - 1, i],
      ]),
      back: rows.slice(1).map((i) => [i - 1, i]),
      ahead: rows.slice(1).map((i) => [i, i - 1]),
      itself: rows.map((i) => [i, i]),
      elsewhere: [
        [3, 0],
        [4, 1],
        [0, 3],
        [1, 4],
      ],
      stop: rows.slice(0, 4).map((i) => [3, i]),
      one: rows.map((i) => [2, i]),
      even: rows.flatMap((i) => rows.map((j) => [i, j])),
    }[name] ?? []
  );
}

/** A mark in the ink of what surrounds it. */
export function mark(name, size, place = {}) {
  const drawn = svg("svg", { width: size, height: size, viewBox: "0 0 10 10", "aria-hidden": "true", ...place });
  drawn.append(
    svg("rect", {
      x: 0.4,
      y: 0.4,
      width: 9.2,
      height: 9.2,
      fill: "none",
      stroke: "currentColor",
      "stroke-width": 0.7,
      "stroke-opacity": 0.45,
    }),
  );
  if (name === "back" || name === "ahead")
    drawn.append(
      svg("line", {
        x1: 0.4,
        y1: 0.4,
        x2: 9.6,
        y2: 9.6,
        stroke: "currentColor",
        "stroke-width": 0.6,
        "stroke-opacity": 0.6,
      }),
    );
  const [inset, side] = name === "even" ? [0.5, 1] : [0, 2];
  for (const [column, row] of markCells(name))
    drawn.append(
      svg("rect", { x: 2 * column + inset, y: 2 * row + inset, width: side, height: side, fill: "currentColor" }),
    );
  return drawn;
}
