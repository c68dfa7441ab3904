/** What parts of a model add to one next word over another: bars from zero, rings for what goes when a head is silenced. */

import { svg } from "../lib/spans.js";
import { level, numbersBelow, scale, signed, tickStep, ticks, upright } from "../lib/chart.js";
import { canvas, label, signedNumber } from "./draw.js";
/** @import { Drawer } from "../drawers.d.ts" */

const ROW = 29; // px
const [LEFT, RIGHT] = [96, 56]; // px for names and for numbers that stand beyond a bar

/** How far the axis goes both ways: zero always on it, and room for a number beside the longest bar. */
export function reach(rows) {
  const values = rows.flatMap(({ gives, silenced }) => [gives, silenced ?? 0]);
  const [low, high] = [Math.min(0, ...values), Math.max(0, ...values)];
  return high - low > 1e-9 ? [low, high] : [-1, 1];
}

/** @type {Drawer<"direct_bars">} */
function directBars(place, { rows, label: said }, { colours, width }) {
  const [low, high] = reach(rows);
  const X = scale(LEFT + (low < 0 ? RIGHT : 0), width - RIGHT, low, high);
  const top = 30;
  const foot = top + rows.length * ROW + 8;
  const picture = canvas(width, foot + 6, said);
  const step = tickStep(high - low, width < 400 ? 3 : 4);
  const values = ticks(low, high, step);
  for (const value of values) picture.append(upright(X(value), 22, foot, value ? colours.border : colours.control_border));
  picture.append(...numbersBelow(X, 14, values, signed(step < 0.1 ? 2 : 1)));
  rows.forEach(({ name, gives, role, silenced }, at) => {
    const y = top + at * ROW + ROW / 2 + (role === "total" ? 6 : 0);
    if (role === "total") picture.append(level(y - ROW / 2 - 2, 0, width - RIGHT / 2, colours.control_border));
    const ink = colours[gives < 0 ? "b" : "a"].graphic;
    const quiet = role === "rest";
    picture.append(label(0, y + 5, name, { "font-size": 14, class: role === "head" ? "code" : quiet ? "muted-ink" : "", "font-weight": role === "total" ? 600 : 400 }));
    const [from, to] = [X(Math.min(0, gives)), X(Math.max(0, gives))];
    picture.append(svg("rect", { x: from, y: y - 7, width: Math.max(1, to - from), height: 14, fill: quiet ? "none" : ink, stroke: ink, "stroke-width": 1.25 }));
    const known = silenced !== undefined && silenced !== null;
    if (known) {
      picture.append(level(y, X(Math.min(gives, silenced)), X(Math.max(gives, silenced)), "currentColor"));
      picture.append(svg("circle", { cx: X(silenced), cy: y, r: 5, fill: colours.background, stroke: "currentColor", "stroke-width": 1.75 }));
    }
    const same = known && Math.sign(silenced) === Math.sign(gives) && Math.abs(silenced) > Math.abs(gives);
    const side = gives < 0 ? -1 : 1;
    picture.append(label(X(same ? silenced : gives) + side * (same ? 11 : 7), y + 5, signedNumber(gives), { "font-size": 13, class: "code halo", "font-weight": role === "total" ? 600 : 400, "text-anchor": side < 0 ? "end" : "start" }));
  });
  place.append(picture);
}

export const ADDING_DRAWERS = { direct_bars: directBars };
