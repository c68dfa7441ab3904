/** What heads carry, in units of the score: bars with both directions, before what one head moves where the reading stays. */

import {
  axis,
  bar,
  box,
  dot,
  drawing,
  level,
  part,
  piled,
  scale,
  upright,
  wholePercent,
  written,
} from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
/** @import { Drawer } from "../drawers.d.ts" */

const DARKEST = 0.3; // the share at the dark end of the ramp
const PILE = 62; // px of a row of dots
const BETWEEN = 48; // px between two shares on the axis, at least
const LETTER = 6.6; // px of a letter beside a row of dots, about
const HALF = 7; // px of half a bar

/** The share from one mark of the axis to the next, where the whole is so many px wide. */
export function shareStep(whole) {
  return [0.1, 0.2, 0.5, 1, 2, 5].find((step) => step * whole >= BETWEEN) ?? 10;
}

/** Dots around one height: [{x, y}], column by column, alternating up and down. */
export function swarm(values, X, step, gap) {
  return piled(values, X, step).map(({ x, row }) => ({ x, y: (row % 2 ? 1 : -1) * Math.ceil(row / 2) * gap }));
}

/** @type {Drawer<"carried_bars">} */
function carriedBars(place, block, { colours, width, narrow, legend }) {
  const { bars, whole, floor } = block;
  const values = [...bars.flatMap(({ mean, into, back }) => [mean, into, back]), ...block.rest, ...block.direct];
  const ends = [...values, floor, -floor, 0.1 * whole];
  const [low, high] = [Math.min(...ends), Math.max(...ends)];
  const [left, right] = narrow ? [8, 8] : [86, 300];
  const X = scale(left, width - right, low - 0.02 * (high - low), high + 0.02 * (high - low));
  const row = narrow ? 56 : 44;
  const top = 34;
  const end = top + bars.length * row;
  const foot = end + PILE * (block.direct.length ? 2 : 1);
  const picture = drawing(width, foot + 28, block.label);
  if (floor) picture.append(box(X(-floor), 26, X(floor) - X(-floor), foot - 26, colours.changed));
  const says = narrow ? legend.band_short : legend.band;
  picture.append(upright(X(0), 26, foot, colours.control_border));
  picture.append(written(narrow ? 0 : Math.max(0, X(-floor)), 16, says, "", narrow ? 13 : 14));
  const step = shareStep(X(whole) - X(0));
  const shares = [];
  for (let times = Math.ceil(X.low / whole / step); times * step <= X.high / whole + 1e-9; times++)
    shares.push(times * step);
  const text = (share) => (share ? wholePercent(share) : "0");
  const numbers = { at: foot + 20, text, lines: [foot, foot + 5], look: "code muted-ink", size: 12 };
  picture.append(...axis((share) => X(share * whole), shares, { ...numbers, stroke: colours.control_border }));
  bars.forEach((one, i) =>
    picture.append(...barRow(one, top + i * row + (narrow ? 34 : row / 2), whole, X, colours, narrow)),
  );
  const sheet = { X, floor, colours, narrow, width };
  picture.append(...pile(block.rest, end + 34, block.rest_says, sheet, false));
  if (block.direct.length) picture.append(...pile(block.direct, end + PILE + 34, block.direct_says, sheet, true));
  place.append(picture);
}

function barRow({ name, mean, into, back, beyond, share, ways }, y, whole, X, colours, narrow) {
  const quiet = beyond ? "bold" : "muted-ink";
  const ink = "currentColor";
  const fill = beyond ? css(rampAt(colours.carried, Math.min(1, mean / whole / DARKEST))) : "none";
  const edge = { stroke: beyond ? "none" : colours.carried_negative, "stroke-width": 1.5 };
  const [near, far] = [Math.min(into, back), Math.max(into, back)];
  const ends = [
    [into, -1],
    [back, 1],
  ].map(([value, sign]) => {
    const from = y + (value > mean || value < 0 ? 0 : sign * HALF);
    return upright(X(value), from, y + sign * (HALF + 8), ink, { "stroke-width": 2 });
  });
  const text = written(
    narrow ? 60 : X(Math.max(far, mean)) + 16,
    narrow ? y - 17 : y + 5,
    "",
    "halo",
    narrow ? 14 : 16,
  );
  text.append(part(share, quiet), part(ways, "muted-ink", 13.5, { dx: 10 }));
  return [
    written(narrow ? 0 : 70, narrow ? y - 17 : y + 5, name, `code ${quiet}${narrow ? "" : " end"}`, 15),
    bar(X(0), X(mean), y, 2 * HALF, fill, edge),
    level(y, X(Math.max(near, mean)), X(far), ink, { "stroke-width": 1.25 }),
    ...(near < 0 ? [level(y, X(near), X(0), ink, { "stroke-width": 1.25 })] : []),
    ...ends,
    text,
  ];
}

function pile(values, y, says, { X, floor, colours, narrow, width }, open) {
  const [radius, fill, stroke] = [
    narrow ? 2.1 : 2.7,
    open ? colours.background : colours.aside,
    open ? colours.carried_negative : "none",
  ];
  const dots = swarm(values, X, narrow ? 5 : 7, narrow ? 4.6 : 6.5).map((one) =>
    dot(one.x, y + one.y, radius, fill, stroke, 1.25),
  );
  if (narrow) return [...dots, written(0, y + 30, says.replace(/: .*/u, ""), "muted-ink halo")];
  const x = X(Math.max(...values, floor)) + 16;
  const lines = x + says.length * LETTER < width ? [says] : (says.match(/^(.*[:,]) (.*)$/u)?.slice(1) ?? [says]);
  const at = (i) => y + 5 + 19 * (i - (lines.length - 1) / 2);
  return [...dots, ...lines.map((line, i) => written(x, at(i), line, "muted-ink halo", 14))];
}

export const BAR_DRAWERS = { carried_bars: carriedBars };
