/** One small map with words on both sides, of any number of rows and columns; what a mask hides is hatched. */

import { css, inkOn, rampAt } from "../lib/colour.js";
import { svg } from "../lib/spans.js";
import { canvas, hatchDefs, label } from "./draw.js";
/** @import { Drawer } from "../drawers.d.ts" */

const LONGEST = 12; // letters of a word beside the map
const [LARGEST, SMALLEST, NUMBERED] = [30, 5, 24]; // px of a cell

const short = (text) => (text.length > LONGEST ? `${text.slice(0, LONGEST - 1)}…` : text);

/** How large a cell is, and how many px the words beside and above the map take. */
export function kindLayout(rows, columns, width) {
  const longest = (words) => Math.max(1, ...words.map((word) => short(word).length));
  const [beside, above] = [longest(rows) * 7.2 + 14, longest(columns) * 5.2 + 24];
  const lean = longest(columns) * 5.2; // of the last word, beyond its column
  const cell = Math.max(SMALLEST, Math.min(LARGEST, Math.floor((width - beside - lean) / columns.length)));
  return { beside, above, cell, width: beside + cell * columns.length + lean, every: Math.max(1, Math.ceil(13 / cell)) };
}

/** @type {Drawer<"kind_map">} */
function kindMap(place, { rows, columns, weights, left, causal, rtl, label: said }, { colours, width, id }) {
  const { beside, above, cell, width: whole, every } = kindLayout(rows, columns, width);
  const X = (x, wide = 0) => (rtl ? whole - x - wide : x);
  const [near, far, turn] = rtl ? ["end", "start", 46] : ["start", "end", -46];
  const picture = canvas(whole, above + cell * rows.length + 2, said);
  picture.style.maxWidth = "100%";
  picture.append(hatchDefs(id, colours));
  columns.forEach((text, at) => {
    const x = X(beside + (at + 0.5) * cell);
    if (at % every === 0) picture.append(label(x, above - 7, short(text), { "font-size": 12.5, "text-anchor": near, transform: `rotate(${turn} ${x} ${above - 7})` }));
  });
  rows.forEach((text, row) => {
    const y = above + row * cell;
    if (row % every === 0) picture.append(label(X(beside - 8), y + cell / 2 + 4.5, short(text), { "font-size": 12.5, "text-anchor": far, class: left[row] ? "" : "muted-ink" }));
    weights[row].forEach((weight, column) => {
      const box = { x: X(beside + column * cell, cell - 1), y, width: cell - 1, height: cell - 1 };
      if (causal && column > row) return picture.append(svg("rect", { ...box, width: cell, height: cell, fill: `url(#${id})` }));
      const colour = rampAt(colours.ramp, weight);
      picture.append(svg("rect", { ...box, fill: left[row] ? css(colour) : "none" }));
      if (cell < NUMBERED || weight < 0.045) return undefined;
      const ink = inkOn(colour, colours.number_on_light, colours.number_on_dark);
      return picture.append(label(box.x + cell / 2 - 0.5, y + cell / 2 + 4, String(Math.round(100 * weight)), { "font-size": 12, "text-anchor": "middle", class: "code", style: `fill:${ink}` }));
    });
  });
  picture.append(svg("rect", { x: X(beside, cell * columns.length) - 0.5, y: above - 0.5, width: cell * columns.length, height: cell * rows.length, fill: "none", stroke: colours.border }));
  place.append(picture);
}

/** A map to draw on: no weights. @type {Drawer<"empty_map">} */
function emptyMap(place, { words, rtl, label: said }, tools) {
  const weights = words.map(() => words.map(() => 0));
  kindMap(place, { kind: "kind_map", rows: words, columns: words, weights, left: words.map(() => true), causal: false, rtl, label: said }, tools);
  for (const cell of place.querySelectorAll("rect")) cell.setAttribute("stroke", tools.colours.border);
}

export const KIND_DRAWERS = { kind_map: kindMap, empty_map: emptyMap };
