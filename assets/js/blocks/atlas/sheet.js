/** The sheet of a head: its habit, its place among all, its strongest looks, what it carries, what may not be said. */

import { css, rampAt } from "../../lib/colour.js";
import { element, spanNodes, svg } from "../../lib/spans.js";
import { numbersBelow, scale, ticks, tickStep, upright } from "../../lib/chart.js";
import { arcNodes, canvas, label, wholePercent } from "../draw.js";
import { ink } from "./marks.js";
/** @import { SheetLook } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const TONE = 0.72; // of the ink of bars and arcs
const [LARGEST, SMALLEST] = [20, 16]; // px of the sentences
const FIGURES = 96; // px right of a sentence
const BROUGHT = 44; // px more, where it is told what looks bring
const THICK = 7; // px of an arc for 100 %
const GAP = 0.27; // of the size, between words

/** @type {Drawer<"sheet_habit">} */
export function habit(place, block, { colours, width }) {
  const drawn = block.bars.filter(([step]) => step);
  const top = Math.max(0.1, ...drawn.map(([, share]) => share)) * 1.15;
  const [wide, high] = [Math.min(width, 400) / block.bars.length, 150];
  const picture = canvas(wide * block.bars.length, high + 44, block.label);
  block.bars.forEach(([step, share], i) => {
    const x = i * wide;
    if (step) {
      const y = high - (high * share) / top;
      picture.append(svg("rect", { x: x + 2, y, width: wide - 4, height: Math.max(0.5, high - y), fill: css(rampAt(colours.ramp, TONE)) }), label(x + wide / 2, y - 6, Math.round(share * 100), { "font-size": 14, class: "code", "text-anchor": "middle" }));
    } else picture.append(label(x + wide / 2, high - 6, "word", { "font-size": 15, class: "serif", "font-style": "italic", "text-anchor": "middle" }));
    picture.append(label(x + wide / 2, high + 20, step > 0 ? `+${step}` : step < 0 ? `\u2212${-step}` : "0", { "font-size": 12.5, class: "code muted-ink", "text-anchor": "middle" }));
  });
  picture.append(svg("line", { x1: 0, x2: wide * block.bars.length, y1: high + 0.5, y2: high + 0.5, stroke: colours.control_border }));
  place.append(picture);
}

/** @type {Drawer<"sheet_place">} */
export function strips(place, block, { colours, width, narrow }) {
  const named = block.strips.some((one) => one.title);
  const left = named ? (narrow ? 134 : 150) : 8;
  const right = named ? width - (narrow ? 112 : 170) : width - 30;
  const [height, line] = [26, narrow && named ? 40 : 30];
  const picture = canvas(width, block.strips.length * line + (block.ends.length ? 24 : 6), block.label);
  const X = scale(left, right, 0, 1);
  block.strips.forEach((one, i) => {
    const y = i * line + height / 2;
    picture.append(label(0, y + 5, one.title, { "font-size": narrow ? 13 : 14 }), svg("line", { x1: left, x2: right, y1: y + 8.5, y2: y + 8.5, stroke: colours.border }));
    for (const other of one.others) picture.append(upright(X(Math.min(1, other)), y - 6, y + 6, colours.aside, { "stroke-opacity": 0.8 }));
    if (one.low !== null && one.high !== null) picture.append(svg("line", { x1: X(one.low), x2: X(Math.min(1, one.high)), y1: y, y2: y, stroke: colours.text, "stroke-width": 9, "stroke-opacity": 0.3 }));
    picture.append(svg("circle", { cx: X(Math.min(1, one.own)), cy: y, r: 5, fill: colours.text, stroke: colours.background, "stroke-width": 1.5 }));
    if (named) picture.append(label(right + (narrow ? 80 : 92), y + 5, one.text, { "font-size": narrow ? 12 : 14, class: "code", "text-anchor": "end" }), label(width, y + 5, narrow ? one.rank.split(" ")[0] : one.rank, { "font-size": 13, class: "muted-ink", "text-anchor": "end" }));
  });
  if (block.ends.length) picture.append(label(left, height + 14, block.ends[0], { "font-size": 12, class: "muted-ink" }), label(right, height + 14, block.ends[1], { "font-size": 12, class: "muted-ink", "text-anchor": "end" }));
  place.append(picture);
}

/** The largest size at which every sentence fits one line of so many px, or null. */
function sizeFor(widths, column) {
  const longest = Math.max(...widths, 0.01);
  const size = Math.min(LARGEST, Math.floor((2 * column) / longest) / 2);
  return size < SMALLEST ? null : size;
}

function ems(pieces, gauge) {
  return pieces.reduce((sum, piece) => sum + gauge(piece.text) + (piece.space ? GAP : 0), 0);
}

/** @type {Drawer<"sheet_looks">} */
export function looks(place, block, { colours, width, gauge }) {
  const columns = width >= 820 ? 2 : 1;
  const column = (width - (columns - 1) * 40) / columns;
  const size = sizeFor(block.looks.map((look) => ems(look.pieces, gauge)), column - FIGURES - (block.looks.some(told) ? BROUGHT : 0));
  const list = element("ol", { class: `sheet-looks${columns === 2 ? " two" : ""}` });
  for (const look of block.looks) list.append(element("li", { "aria-label": look.label }, size && width > 640 ? arched(look, size, column, gauge, colours) : tinted(look, colours)));
  place.append(list);
}

const told = (look) => look.brought !== null && look.brought !== undefined;

/** @param {SheetLook} look */
function arched(look, size, column, gauge, colours) {
  const rise = 38;
  const picture = canvas(column, rise + 34, look.label);
  const y = rise + 20;
  let x = 0;
  const middle = new Map();
  for (const piece of look.pieces) {
    if (piece.space) x += GAP * size;
    const wide = gauge(piece.text) * size;
    const chosen = piece.at !== null && (piece.at === look.query || piece.at === look.key);
    picture.append(label(x, y, piece.text, { "font-size": size, class: chosen ? "serif" : "serif muted-ink" }));
    if (piece.at !== null) middle.set(piece.at, x + wide / 2);
    x += wide;
  }
  const [from, to] = [middle.get(look.query), middle.get(look.key)];
  const thick = Math.max(1, look.weight * THICK);
  const bend = Math.min(30, 12 + Math.abs(to - from) * 0.12);
  picture.append(...arcNodes({ from, to, y: rise, up: true, arrow: Math.max(3.2, thick * 0.95), rise: bend }, thick, css(rampAt(colours.ramp, TONE))));
  picture.append(...(told(look) ? [label(column - 44 - BROUGHT, y, wholePercent(look.brought), { "font-size": 13, class: "muted-ink", "text-anchor": "end" })] : []), label(column - 44, y, wholePercent(look.habit), { "font-size": 13, class: "muted-ink", "text-anchor": "end" }), label(column, y, wholePercent(look.weight), { "font-size": 15, "font-weight": 600, "text-anchor": "end" }));
  return picture;
}

/** @param {SheetLook} look */
function tinted(look, colours) {
  const colour = rampAt(colours.ramp, look.weight);
  const nodes = look.pieces.flatMap((piece) => {
    const between = piece.space ? [" "] : [];
    if (piece.at === look.query) return [...between, element("span", { class: "looking" }, piece.text)];
    if (piece.at === look.key) return [...between, element("span", { class: "looked", style: `background:${css(colour)};color:${ink(colour, colours)}` }, piece.text)];
    return [...between, piece.text];
  });
  return element("div", { class: "sheet-line" }, element("span", { class: "sheet-words" }, ...nodes), element("span", { class: "sheet-figures" }, ...(told(look) ? [element("span", {}, wholePercent(look.brought)), "\u2002"] : []), element("span", {}, wholePercent(look.habit)), " ", element("b", {}, wholePercent(look.weight))));
}

/** @type {Drawer<"sheet_carries">} */
export function carries(place, block, { colours, width, narrow, legend }) {
  const [left, row] = [narrow ? 108 : 122, 46];
  const X = scale(left, width - 64, 0, block.top);
  const foot = block.rows.length * row;
  const picture = canvas(width, foot + 26, block.label);
  const inside = (value) => X(Math.max(0, Math.min(block.top, value)));
  const values = ticks(0, block.top, tickStep(block.top, 4));
  picture.append(...values.map((value) => upright(X(value), 0, foot, colours.border)), ...numbersBelow(X, foot + 18, values, (value) => `${Math.round(value * 100)}${value === values.at(-1) ? "\u00a0%" : ""}`));
  const paint = css(colours.carried.at(-3));
  block.rows.forEach((one, i) => {
    const y = i * row + row / 2;
    picture.append(label(0, y + 1, one.title, { "font-size": 15 }), label(0, y + 17, one.pairs, { "font-size": 12, class: "muted-ink" }));
    if (one.band) picture.append(svg("rect", { x: inside(one.band[0]), y: y + 6, width: Math.max(1, inside(one.band[2]) - inside(one.band[0])), height: 6, fill: colours.border }), upright(inside(one.band[1]), y + 4, y + 14, colours.muted));
    picture.append(svg("line", { x1: inside(one.best[1]), x2: inside(one.best[1]), y1: y - 15, y2: y + 4, stroke: colours.text, "stroke-width": 1.5, "stroke-dasharray": "2 2" }), label(Math.min(inside(one.best[1]) + 4, width - 50), y - 10, one.best[0], { "font-size": 12, class: "code muted-ink" }));
    if (one.share === null) picture.append(label(left + 6, y + 5, legend.after, { "font-size": 13, class: "muted-ink" }));
    else {
      const open = one.low <= 0;
      picture.append(svg("line", { x1: inside(one.low), x2: inside(one.high), y1: y, y2: y, stroke: paint, "stroke-width": 6, "stroke-opacity": 0.45 }), svg("circle", { cx: inside(one.share), cy: y, r: 6, fill: open ? colours.background : paint, stroke: paint, "stroke-width": 1.5 }));
    }
    picture.append(label(width, y + 5, one.text, { "font-size": 14, class: "code", "text-anchor": "end" }));
  });
  place.append(picture);
}

/** @type {Drawer<"sheet_not">} */
export function nots(place, block) {
  place.append(element("ul", {}, ...block.lines.map((line) => element("li", {}, ...spanNodes(line)))));
}

export const SHEET_DRAWERS = { sheet_habit: habit, sheet_place: strips, sheet_looks: looks, sheet_carries: carries, sheet_not: nots };
