/** The furthest lean of any head in each order of the same words, a dot each, and where this sentence stands. */

import { filledText, svg } from "../lib/spans.js";
import { level, scale, upright } from "../lib/chart.js";
import { canvas, label } from "./draw.js";
/** @import { Drawer } from "../drawers.d.ts" */

const STEP = 7; // px between columns of dots
const TALLEST = 24; // dots of one value; more go into the next columns

/** Dots in columns of at most so many: [{x, row, value}]; ascending values fill the next columns. */
export function columned(values, X, step = STEP, tallest = TALLEST) {
  const heights = new Map();
  return values.map((value) => {
    let column = Math.round(X(value) / step);
    while ((heights.get(column) ?? 0) >= tallest) column++;
    const row = heights.get(column) ?? 0;
    heights.set(column, row + 1);
    return { x: column * step, row, value };
  });
}

/** @type {Drawer<"maxima">} */
function maxima(place, block, { colours, width, narrow, legend }) {
  const height = narrow ? 270 : 300;
  const foot = height - 52;
  const X = scale(8, width - 8, 0, Math.max(0.65, block.here, ...block.furthest) * 1.02);
  const picture = canvas(width, height, block.label);
  for (const { x, row, value } of columned(block.furthest, X))
    picture.append(svg("circle", { cx: x, cy: foot - 6 - row * 5.6, r: 2.5, fill: value >= block.here ? colours.muted : "none", stroke: colours.muted }));
  picture.append(level(foot, 8, width - 8, colours.control_border));
  for (let tick = 0; tick <= X.high; tick += 0.2) picture.append(upright(X(tick), foot, foot + 5, colours.control_border), label(X(tick), foot + 20, tick ? tick.toFixed(1) : "0", { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  picture.append(label(width - 8, foot + 40, legend.axis, { "text-anchor": "end", class: "muted-ink" }));
  const x = X(block.here);
  picture.append(upright(x, 8, foot + 5, "currentColor", { "stroke-width": 2 }));
  const late = x > width * 0.55;
  const name = label(late ? x - 9 : x + 9, 18, "", { "text-anchor": late ? "end" : "start", "font-size": 14, class: "halo" });
  name.append(svg("tspan", { class: "code", "font-size": 13 }, block.name), svg("tspan", {}, filledText(legend.here, { lean: block.here.toFixed(2) })));
  picture.append(name, label(late ? x - 9 : x + 9, 36, block.reached, { "text-anchor": late ? "end" : "start", "font-size": 14, "font-weight": 600, class: "halo" }));
  if (block.often) {
    const often = label(width - 2, 62, "", { "text-anchor": "end", class: "halo" });
    often.append(svg("tspan", { class: "code", "font-size": 12.5 }, block.often.name), svg("tspan", {}, ` at ${block.often.at.toFixed(2)}: ${block.often.says}`));
    picture.append(often);
  }
  place.append(picture);
}

export const MAXIMA_DRAWERS = { maxima };
