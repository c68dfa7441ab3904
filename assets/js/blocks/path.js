/** The tested arrow: the shaft is the axis, 0 to 100 % of the receiver's turn; large over pairs, thin for this sentence. */

import { element, svg } from "../lib/spans.js";
import { saidNodes } from "./caption.js";
import { level, scale, upright } from "../lib/chart.js";
import { canvas, label, wholePercent } from "./draw.js";
import { piled } from "./score_line.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const END = 1.12; // of the shaft: an interval may pass 1
const KEPT = 62; // px of the bar of swaps
const SHAFT = 70; // px, where it stands
const ENDS_FROM = 820; // px of width that have room for the steps beside the shaft

/** @type {Drawer<"path_strip">} */
function pathStrip(place, block, tools) {
  const wide = tools.width >= ENDS_FROM;
  const first = step(1, block.first, block.looks.map((text) => [["code", text]]));
  const second = step(2, block.second, block.turns);
  const shaft = element("div", {}, arrow(block, wide ? tools.width - 2 * (Math.min(250, tools.width * 0.24) + 22) : tools.width, tools));
  place.append(element("div", { class: wide ? "path-row" : "path-column" }, first, shaft, second));
}

function step(number, spans, lines) {
  const node = element("div", { class: "path-end" }, element("span", { class: "step-number" }, String(number)), ...saidNodes(spans));
  for (const line of lines) node.append(element("span", { class: "path-look" }, ...saidNodes(line)));
  return node;
}

/** @param {Blocks["path_strip"]} block */
function arrow(block, width, { colours, narrow }) {
  const [x0, x1] = narrow ? [26, width - 30] : [30, width - 34];
  const low = Math.min(0, block.low, ...block.control);
  const X = scale(x0, x1, Math.max(-0.5, low), Math.max(END, Math.min(1.6, block.high + 0.02)));
  const inside = (share) => X(Math.max(X.low, Math.min(X.high, share)));
  const lower = block.kept ? KEPT : 0;
  const picture = canvas(width, (narrow ? 208 : 202) + lower, block.label);
  const tip = width - 2;
  picture.append(level(SHAFT, X(X.low) - 16, tip - 14, "currentColor", { "stroke-width": 3 }), svg("path", { d: `M${tip},${SHAFT} l-17,-10 v20 Z`, fill: "currentColor" }));
  for (const share of [0, 0.5, 1]) picture.append(upright(X(share), SHAFT + 5, SHAFT + 11, colours.control_border), label(X(share), SHAFT + 25, share ? wholePercent(share) : "0", { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  const others = piled(block.control, inside, 4);
  const pitch = Math.min(3.5, (SHAFT - 8) / Math.max(1, ...others.map(({ row }) => row)));
  for (const { x, row } of others) picture.append(svg("circle", { cx: x, cy: SHAFT - 5 - row * pitch, r: 1.7, fill: colours.muted }));
  const end = Math.min(inside(block.high), tip - 4);
  picture.append(svg("rect", { x: inside(block.low), y: SHAFT - 5, width: Math.max(2, end - inside(block.low)), height: 10, rx: 5, fill: colours.background, stroke: "currentColor", "stroke-width": 1.25 }));
  picture.append(svg("circle", { cx: inside(block.share), cy: SHAFT, r: 7.5, fill: "currentColor", stroke: colours.background, "stroke-width": 1.5 }));
  if (block.direct !== null) {
    const x = inside(block.direct);
    picture.append(svg("circle", { cx: x, cy: SHAFT, r: 6, fill: colours.background, stroke: "currentColor", "stroke-width": 2 }));
    picture.append(label(x, SHAFT + 25, `direct ${wholePercent(block.direct)}`, { "text-anchor": "middle", class: "halo" }));
  }
  const title = label(narrow ? width : tip - 2, 22, "", { "text-anchor": "end", "font-size": narrow ? 15 : 17, class: "halo" });
  title.append(svg("tspan", { "font-weight": 600, "font-size": narrow ? 20 : 24 }, wholePercent(block.share)), svg("tspan", { dx: 6 }, narrow ? block.follows.replace("of the turn ", "") : block.follows));
  picture.append(title, label(narrow ? 0 : X(X.low) - 16, SHAFT + 46, block.others, { "font-size": narrow ? 13.5 : 14 }));
  const from = narrow ? 0 : X(X.low) - 16;
  if (block.kept) kept(picture, block.kept, block.kept_says, inside, X, SHAFT + 78, from, colours);
  const y = SHAFT + (narrow ? 82 : 86) + lower;
  if (!block.own) picture.append(label(from, y, block.own_says, { class: "muted-ink" }));
  else thin(picture, block, inside, X, y, from, colours, narrow);
  return picture;
}

/** The same path where the reading is kept: a second bar on the same axis; `bar` is a share and its interval. */
function kept(picture, bar, says, inside, X, y, from, colours) {
  const [share, low, high] = bar;
  picture.append(level(y, X(0), X(1), colours.border));
  picture.append(svg("rect", { x: inside(low), y: y - 4, width: Math.max(2, inside(high) - inside(low)), height: 8, rx: 4, fill: colours.background, stroke: colours.muted, "stroke-width": 1.25 }));
  picture.append(svg("circle", { cx: inside(share), cy: y, r: 5.5, fill: colours.muted, stroke: colours.background, "stroke-width": 1.5 }));
  picture.append(label(inside(share), y + 18, wholePercent(share), { "text-anchor": "middle", class: "muted-ink halo" }));
  picture.append(label(from, y + 34, says, { class: "muted-ink halo" }));
}

function thin(picture, { own, own_says: says }, inside, X, y, from, colours, narrow) {
  picture.append(level(y, X(0), X(1), colours.border));
  if (own.low !== null) picture.append(level(y, inside(own.low), inside(own.high), colours.aside, { "stroke-width": 5 }));
  const marks = [[own.share, 4.5, colours.muted], ...(own.direct === null ? [] : [[own.direct, 4, colours.background]])];
  for (const [share, radius, fill] of marks) {
    picture.append(svg("circle", { cx: inside(share), cy: y, r: radius, fill, stroke: colours.muted, "stroke-width": 1.5 }));
    picture.append(label(inside(share), y + 18, wholePercent(share), { "text-anchor": "middle", class: "muted-ink halo" }));
  }
  picture.append(label(from, y + (narrow ? 38 : 34), says, { class: "muted-ink halo" }));
}

export const PATH_DRAWERS = { path_strip: pathStrip };
