/** What each head carries: layers × heads in their own warm grey, the same heads on one axis beside three others, and in
 * units of the score as bars with both directions, before what one head moves where the reading stays. */

import { eachHead, headNumbers, layerNames } from "../lib/grid.js";
import { directFrame } from "./matter.js";
import {
  axis,
  bar,
  box,
  dot,
  drawing,
  frame,
  hatchDefs,
  inkOver,
  keyEntries,
  level,
  part,
  piled,
  pointsText,
  rampKey,
  ruler,
  sample,
  scale,
  tick,
  ticks,
  upright,
  wholePercent,
  written,
} from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { filledText, put } from "../lib/spans.js";

const CARRIED_TOP = 0.3; // the share at the dark end of the ramp
const PILE = 62; // px of a row of dots
const BETWEEN = 48; // px between two shares on the axis, at least
const LETTER = 6.6; // px of a letter beside a row of dots, about
const HALF = 7; // px of half a bar
const [AXIS_LOW, AXIS_HIGH] = [-0.06, 0.32];

/** @type {Drawer<"carried_map">} */
function carriedMap(block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.carried.length, block.carried[0].length];
  const [left, top] = narrow ? [28, 24] : [64, 46];
  const strip = narrow ? 0 : Math.min(380, width * 0.34);
  const pitch = Math.floor((width - left - strip - (strip ? 36 : 0)) / heads);
  const places = { left, top, pitch, row: narrow ? 28 : Math.min(46, Math.floor(pitch * 0.86)), narrow };
  const absent = (layer) => block.carried[layer].every((share) => share === null);
  const rows = block.carried.map((_, layer) => {
    const text = layer === layers - 1 ? legend.absent : "";
    return absent(layer) && absentRow(text, layer, heads, places, colours, id);
  });
  const cells = eachHead(block.carried, places, (share, layer, head, x, y) => {
    const within = Math.abs(share) <= block.floor;
    return share === null ? [] : carriedCell(share, within, x, y, places, colours);
  });
  const picture = drawing(
    width,
    top + places.row * layers + 8,
    block.label,
    hatchDefs(id, colours),
    headNumbers(heads, { ...places, at: top - 8 }),
    layerNames(layers, { ...places, quiet: absent, raised: narrow ? null : block.direct }),
    rows,
    cells,
    directFrame(block.direct, heads, places),
  );
  if (!narrow)
    return put(
      picture,
      written(0, top + (block.direct + 0.5) * places.row + 15, legend.direct, "muted-ink", 12),
      controlStrip(block, { x: width - strip, width: strip, top, row: places.row }, colours, legend),
    );
  const own = drawing(
    width,
    40 + 46 * block.control.length,
    legend.axis,
    layerNames(block.control.length, { top: 40, row: 46, narrow, size: 13 }),
    controlStrip(block, { x: 28, width: width - 28, top: 40, row: 46 }, colours, legend),
  );
  return [picture, own];
}

function absentRow(text, layer, heads, { left, top, pitch, row, narrow }, colours, id) {
  const y = top + layer * row;
  const hatched = box(left, y + 4, heads * pitch - 2, row - 6, `url(#${id})`);
  if (!text) return [hatched];
  const width = (narrow ? 6.2 : 6.6) * text.length + 14;
  const x = left + (heads * pitch) / 2;
  return [
    hatched,
    box(x - width / 2, y + row / 2 - 10, width, 21, colours.background),
    written(x, y + row / 2 + 5, text, "middle muted-ink"),
  ];
}

function carriedCell(share, within, x, y, { pitch, row, narrow }, colours) {
  if (within)
    return [box(x, y, pitch - 2, row - 2, colours.background, { stroke: colours.border, "stroke-width": 0.75 })];
  const colour = rampAt(colours.carried, Math.max(0, share) / CARRIED_TOP);
  const open = { "stroke-opacity": 0.75 };
  const cell =
    share >= 0
      ? box(x, y, pitch - 2, row - 2, css(colour))
      : share <= -0.005 && frame(x + 1.5, y + 1.5, pitch - 5, row - 5, colours.carried_negative, 1.25, open);
  const look = { style: `fill:${share >= 0 ? inkOver(colour, colours) : colours.muted}` };
  const size = narrow ? 12 : 12.5;
  const text = narrow && share < 0.05 ? "" : pointsText(share);
  return [cell, text && written(x + pitch / 2 - 1, y + row / 2 + 4, text, "code middle", size, look)];
}

/** @param {Blocks["carried_map"]} block */
function controlStrip(block, { x, width, top, row }, colours, legend) {
  const on = scale(x + 12, x + width - 12, AXIS_LOW, AXIS_HIGH);
  const X = (share) => on(Math.max(AXIS_LOW, Math.min(AXIS_HIGH, share)));
  const lines = [top, top + row * block.control.length];
  const numbers = {
    at: top - 8,
    text: tick(wholePercent),
    lines,
    stroke: colours.border,
    zero: colours.control_border,
    size: 12,
  };
  const rows = block.control.flatMap((control, layer) => {
    const y = top + (layer + 0.5) * row;
    const [mean, low, high] = control ?? [];
    const range = control
      ? [
          bar(X(low), X(high), y, row * 0.72, colours.changed),
          upright(X(mean), y - row * 0.36, y + row * 0.36, colours.aside, { "stroke-width": 2 }),
        ]
      : [];
    const dots = block.carried[layer].map(
      (share) =>
        share !== null && dot(X(share), y, 3.2, colours.background, "currentColor", 1.2, { "stroke-opacity": 0.65 }),
    );
    return [...range, ...dots];
  });
  return [...axis(X, [0, 0.1, 0.2, 0.3], numbers), written(x, 14, legend.axis_with, "", 13.5), ...rows];
}

/** What the marks of a `carried_map` mean. @type {Drawer<"key">} */
export function carriedLegend(block, { colours, legend }) {
  const mark = (stroke, dash = "none") =>
    sample(20, 14, frame(1, 1, 18, 12, stroke, 1.25, { "stroke-dasharray": dash }));
  return keyEntries(
    ["0", rampKey(colours.carried), filledText(legend.top, { share: wholePercent(CARRIED_TOP) })],
    [mark(colours.border), legend.empty],
    [mark(colours.carried_negative), legend.negative],
    [mark("currentColor", "3 2"), legend.direct],
  );
}

/** The share from one mark of the axis to the next, where the whole is so many px wide. */
export function shareStep(whole) {
  return [0.1, 0.2, 0.5, 1, 2, 5].find((step) => step * whole >= BETWEEN) ?? 10;
}

/** Dots around one height: [{x, y}], column by column, alternating up and down. */
export function swarm(values, X, step, gap) {
  return piled(values, X, step).map(({ x, row }) => ({ x, y: (row % 2 ? 1 : -1) * Math.ceil(row / 2) * gap }));
}

/** @type {Drawer<"carried_bars">} */
function carriedBars(block, { colours, width, narrow, legend }) {
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
  const says = narrow ? legend.band_short : legend.band;
  const on = (share) => X(share * whole);
  const step = shareStep(on(1) - on(0));
  const shares = ticks(X.low / whole, X.high / whole, step);
  const sheet = { X, floor, colours, narrow, width };
  return drawing(
    width,
    foot + 28,
    block.label,
    floor > 0 && box(X(-floor), 26, X(floor) - X(-floor), foot - 26, colours.changed),
    upright(X(0), 26, foot, colours.control_border),
    written(narrow ? 0 : Math.max(0, X(-floor)), 16, says, "", narrow ? 13 : 14),
    ruler(on, shares, wholePercent, [foot, foot + 5], foot + 20, colours),
    bars.map((one, i) => barRow(one, top + i * row + (narrow ? 34 : row / 2), whole, X, colours, narrow)),
    pile(block.rest, end + 34, block.rest_says, sheet, false),
    block.direct.length > 0 && pile(block.direct, end + PILE + 34, block.direct_says, sheet, true),
  );
}

function barRow({ name, mean, into, back, beyond, share, ways }, y, whole, X, colours, narrow) {
  const quiet = beyond ? "bold" : "muted-ink";
  const ink = "currentColor";
  const fill = beyond ? css(rampAt(colours.carried, Math.min(1, mean / whole / CARRIED_TOP))) : "none";
  const edge = { stroke: beyond ? "none" : colours.carried_negative, "stroke-width": 1.5 };
  const [near, far] = [Math.min(into, back), Math.max(into, back)];
  const ends = [
    [into, -1],
    [back, 1],
  ].map(([value, sign]) => {
    const from = y + (value > mean || value < 0 ? 0 : sign * HALF);
    return upright(X(value), from, y + sign * (HALF + 8), ink, { "stroke-width": 2 });
  });
  const text = [part(share, quiet), part(ways, "muted-ink", 13.5, { dx: 10 })];
  const [x, line] = narrow ? [60, y - 17] : [X(Math.max(far, mean)) + 16, y + 5];
  return [
    written(narrow ? 0 : 70, line, name, `code ${quiet}${narrow ? "" : " end"}`, 15),
    bar(X(0), X(mean), y, 2 * HALF, fill, edge),
    level(y, X(Math.max(near, mean)), X(far), ink, { "stroke-width": 1.25 }),
    ...(near < 0 ? [level(y, X(near), X(0), ink, { "stroke-width": 1.25 })] : []),
    ...ends,
    written(x, line, text, "halo", narrow ? 14 : 16),
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

export const CARRIED_DRAWERS = { carried_map: carriedMap, carried_bars: carriedBars };
