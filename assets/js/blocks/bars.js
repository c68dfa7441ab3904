/** What heads carry, in units of the score: bars with both directions, before what one head moves where the reading stays. */

import { css, rampAt } from "../lib/colour.js";
import { svg } from "../lib/spans.js";
import { level, scale, upright } from "../lib/chart.js";
import { canvas, label, wholePercent } from "./draw.js";
/** @import { Drawer } from "../drawers.d.ts" */

const DARKEST = 0.3; // the share at the dark end of the ramp
const PILE = 62; // px of a row of dots
const BETWEEN = 48; // px between two shares on the axis, at least
const LETTER = 6.6; // px of a letter beside a row of dots, about

/** The share from one mark of the axis to the next, where the whole is so many px wide. */
export function shareStep(whole) {
  return [0.1, 0.2, 0.5, 1, 2, 5].find((step) => step * whole >= BETWEEN) ?? 10;
}

/** Dots around one height: [{x, y}], column by column, alternating up and down. */
export function swarm(values, X, step, gap) {
  const heights = new Map();
  return values.map((value) => {
    const column = Math.round(X(value) / step);
    const count = (heights.get(column) ?? 0) + 1;
    heights.set(column, count);
    return { x: column * step, y: (count % 2 ? -1 : 1) * Math.floor(count / 2) * gap };
  });
}

/** @type {Drawer<"carried_bars">} */
function carriedBars(place, block, { colours, width, narrow, legend }) {
  const { bars, whole, floor } = block;
  const values = [...bars.flatMap(({ mean, into, back }) => [mean, into, back]), ...block.rest, ...block.direct, floor, -floor, 0.1 * whole];
  const [low, high] = [Math.min(...values), Math.max(...values)];
  const [left, right] = narrow ? [8, 8] : [86, 300];
  const X = scale(left, width - right, low - 0.02 * (high - low), high + 0.02 * (high - low));
  const row = narrow ? 56 : 44;
  const top = 34;
  const foot = top + bars.length * row + PILE * (block.direct.length ? 2 : 1);
  const picture = canvas(width, foot + 28, block.label);
  if (floor) picture.append(svg("rect", { x: X(-floor), y: 26, width: X(floor) - X(-floor), height: foot - 26, fill: colours.changed }));
  picture.append(upright(X(0), 26, foot, colours.control_border));
  picture.append(label(narrow ? 0 : Math.max(0, X(-floor)), 16, narrow ? legend.band_short : legend.band, { "font-size": narrow ? 13 : 14 }));
  const step = shareStep(X(whole) - X(0));
  for (let times = Math.ceil(X.low / whole / step); times * step <= X.high / whole + 1e-9; times++) {
    const x = X(times * step * whole);
    picture.append(upright(x, foot, foot + 5, colours.control_border), label(x, foot + 20, times ? wholePercent(times * step) : "0", { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  }
  bars.forEach((bar, i) => barRow(picture, bar, top + i * row + (narrow ? 34 : row / 2), whole, X, colours, narrow));
  pile(picture, block.rest, top + bars.length * row + 34, block.rest_says, X, floor, colours, narrow, width, false);
  if (block.direct.length) pile(picture, block.direct, top + bars.length * row + PILE + 34, block.direct_says, X, floor, colours, narrow, width, true);
  place.append(picture);
}

function barRow(picture, { name, mean, into, back, beyond, share, ways }, y, whole, X, colours, narrow) {
  const half = 7;
  const quiet = beyond ? "" : `fill:${colours.muted}`;
  picture.append(label(narrow ? 0 : 70, narrow ? y - 17 : y + 5, name, { "font-size": 15, "text-anchor": narrow ? "start" : "end", class: "code", "font-weight": beyond ? 600 : 400, style: quiet }));
  const fill = beyond ? css(rampAt(colours.carried, Math.min(1, mean / whole / DARKEST))) : "none";
  picture.append(svg("rect", { x: X(0), y: y - half, width: X(mean) - X(0), height: 2 * half, fill, stroke: beyond ? "none" : colours.carried_negative, "stroke-width": 1.5 }));
  const [near, far] = [Math.min(into, back), Math.max(into, back)];
  picture.append(level(y, X(Math.max(near, mean)), X(far), "currentColor", { "stroke-width": 1.25 }));
  if (near < 0) picture.append(level(y, X(near), X(0), "currentColor", { "stroke-width": 1.25 }));
  for (const [value, sign] of [[into, -1], [back, 1]]) picture.append(upright(X(value), y + (value > mean || value < 0 ? 0 : sign * half), y + sign * (half + 8), "currentColor", { "stroke-width": 2 }));
  const text = label(narrow ? 60 : X(Math.max(far, mean)) + 16, narrow ? y - 17 : y + 5, "", { "font-size": narrow ? 14 : 16, class: "halo" });
  text.append(svg("tspan", { "font-weight": beyond ? 600 : 400, style: quiet }, share), svg("tspan", { dx: 10, "font-size": 13.5, style: `fill:${colours.muted}` }, ways));
  picture.append(text);
}

function pile(picture, values, y, says, X, floor, colours, narrow, width, open) {
  for (const dot of swarm(values, X, narrow ? 5 : 7, narrow ? 4.6 : 6.5))
    picture.append(svg("circle", { cx: dot.x, cy: y + dot.y, r: narrow ? 2.1 : 2.7, fill: open ? colours.background : colours.aside, stroke: open ? colours.carried_negative : "none", "stroke-width": 1.25 }));
  if (narrow) return void picture.append(label(0, y + 30, says.replace(/: .*/u, ""), { class: "muted-ink halo" }));
  const x = X(Math.max(...values, floor)) + 16;
  const lines = x + says.length * LETTER < width ? [says] : says.match(/^(.*[:,]) (.*)$/u)?.slice(1) ?? [says];
  lines.forEach((line, i) => picture.append(label(x, y + 5 + 19 * (i - (lines.length - 1) / 2), line, { "font-size": 14, class: "muted-ink halo" })));
}

export const BAR_DRAWERS = { carried_bars: carriedBars };
