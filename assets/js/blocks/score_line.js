/** Words on one line by their score, and under it, on the same scale, how far the score moves where the reading stays. */

import { svg } from "../lib/spans.js";
import { level, scale, tickStep, ticks, upright } from "../lib/chart.js";
import { canvas, label, readingMark, signedNumber } from "./draw.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const TYPED = [0.84, 0.8]; // where the typed word stands, on a desk and on a phone; mirrored where the score rises
const LINE = 92; // px, where the line stands
const CLOSE = [150, 140]; // px between two words of a side under which their names are set apart
const LETTER = 8.2; // px of a letter of what is said over a gap, about
const BRACKET = 90; // px of a gap that has room for what is said over it
const DOT = [6, 4]; // px between dots

/** The scale of the line: the typed word at its place, so that the other one lies on the longer side. */
export function lineScale(marks, span, width, narrow) {
  const [typed, other] = marks;
  const at = TYPED[narrow ? 1 : 0];
  const place = other.score <= typed.score ? at : 1 - at;
  const wide = span[narrow ? 1 : 0];
  return scale(0, width, typed.score - place * wide, typed.score + (1 - place) * wide);
}

/** Dots in columns: [{x, row}], from values and where each stands. */
export function piled(values, X, step) {
  const heights = new Map();
  return values.map((value) => {
    const column = Math.round(X(value) / step);
    const row = heights.get(column) ?? 0;
    heights.set(column, row + 1);
    return { x: column * step, row, value };
  });
}

/** @type {Drawer<"score_line">} */
function scoreLine(place, block, { colours, width, narrow, gauge, legend }) {
  const [typed, other] = block.marks;
  const X = lineScale(block.marks, block.span, width, narrow);
  const floored = block.sizes !== undefined && block.sizes !== null;
  const axis = LINE + (narrow ? 192 : 204);
  const picture = canvas(width, floored ? axis + 46 : LINE + 70, block.label);
  const grey = block.grey || !typed.side;
  const towards = other.score <= typed.score ? -1 : 1;
  if (floored) {
    const ends = [X(typed.score), X(typed.score + towards * block.floor)].sort((a, b) => a - b);
    picture.append(svg("rect", { x: ends[0], y: LINE, width: ends[1] - ends[0], height: axis - LINE, fill: colours.changed }));
  }
  picture.append(level(LINE, 0, width, colours.control_border, { "stroke-width": 1.5 }));
  picture.append(endLabel(0, "start", "b", block, colours, narrow), endLabel(width, "end", "a", block, colours, narrow));
  if (floored) movement(picture, block, X, axis, towards, colours, width, narrow, legend);
  sides(picture, block, X, grey, colours, width, narrow, gauge);
  if (block.order) order(picture, block, X, width, narrow, gauge);
  place.append(picture);
}

/** @param {Blocks["score_line"]} block */
function endLabel(x, anchor, side, block, colours, narrow) {
  const text = label(x, LINE - 12, "", { "text-anchor": anchor, "font-size": narrow ? 13 : 14, class: "muted-ink halo" });
  const name = `${narrow ? "" : "towards "}${block.ends[side]}`;
  const letter = svg("tspan", { "font-weight": 600, style: `fill:${colours[side].text}` }, side.toUpperCase());
  text.append(...(side === "b" ? ["\u2190 ", letter, ` ${name}`] : [letter, ` ${name} \u2192`]));
  return text;
}

/**
 * A round above the line, B square below; the typed pair larger. Words nobody has taken a side for stand above.
 * @param {Blocks["score_line"]} block
 */
function sides(picture, block, X, grey, colours, width, narrow, gauge) {
  const groups = ["a", "b", ""].map((side) => block.marks.filter((mark) => (mark.side || "") === side));
  groups.forEach((marks, which) => {
    if (!marks.length) return;
    const below = which === 1;
    const sign = below ? 1 : -1;
    const paint = grey ? colours.muted : colours[below ? "b" : "a"].graphic;
    const xs = marks.map(({ score }) => X(score));
    if (marks.length > 1 && which < 2) {
      const y = LINE + sign * 15;
      picture.append(svg("path", { d: `M${Math.min(...xs)},${LINE} V${y} H${Math.max(...xs)} V${LINE}`, fill: "none", stroke: paint, "stroke-width": 2 }));
    }
    const names = nameBoxes(marks, xs, width, narrow, gauge);
    marks.forEach((mark, i) => {
      const radius = mark.first ? 8 : 6;
      picture.append(readingMark(xs[i], LINE, radius, !below, { fill: paint, stroke: colours.background, "stroke-width": 1.5 }));
      const text = label(names[i].x, LINE + sign * (below ? 44 : 30), "", { "font-size": names[i].size, class: "serif halo", "font-style": "italic" });
      text.append(svg("tspan", {}, mark.word), svg("tspan", { class: "code", "font-style": "normal", "font-size": narrow ? 12 : 13, dx: 7, style: `fill:${colours.muted}` }, signedNumber(mark.score)));
      picture.append(text);
    });
  });
}

/** Where the names of one side begin: over their marks, set apart where they would touch, inside the picture. */
export function nameBoxes(marks, xs, width, narrow, gauge) {
  const sizes = marks.map(({ first }) => (first ? (narrow ? 19 : 24) : narrow ? 16 : 19));
  const widths = marks.map(({ word }, i) => gauge(word) * sizes[i] + (narrow ? 52 : 56));
  const inside = (x, i) => Math.max(0, Math.min(width - widths[i], x));
  const left = xs.map((x, i) => inside(x - widths[i] / 2, i));
  if (marks.length === 2 && Math.abs(xs[0] - xs[1]) < Math.max(CLOSE[narrow ? 1 : 0], (widths[0] + widths[1]) / 2 + 8)) {
    const right = xs[0] >= xs[1] ? 0 : 1;
    left[right] = inside(xs[right] - 10, right);
    left[1 - right] = Math.max(0, Math.min(xs[1 - right] + 10 - widths[1 - right], left[right] - 8 - widths[1 - right]));
    if (left[1 - right] + widths[1 - right] + 8 > left[right]) left[right] = left[1 - right] + widths[1 - right] + 8;
  }
  return left.map((x, i) => ({ x, size: sizes[i], width: widths[i] }));
}

/** Whether words fit over a gap between two marks, and beside the names that stand at their height. */
export function fitsOver(words, from, to, names) {
  const wide = LETTER * words.length;
  const [left, right] = [(from + to - wide) / 2, (from + to + wide) / 2];
  return to - from >= Math.max(BRACKET, wide) && names.every(({ x, width }) => x > right || x + width < left);
}

/**
 * What is said of the order of four words, over the gap between both readings or round the overlap.
 * @param {Blocks["score_line"]} block
 */
function order(picture, block, X, width, narrow, gauge) {
  const [mine, theirs] = [block.marks[0].side, block.marks[1].side];
  const of = (side) => block.marks.filter((mark) => mark.side === side).map(({ score }) => X(score));
  const [left, right] = [of("b"), of("a")].sort((one, two) => Math.min(...one) - Math.min(...two));
  const facing = Math.max(...left) < Math.min(...right);
  const text = (x, y, anchor) => label(x, y, block.order, { "text-anchor": anchor, "font-size": narrow ? 14 : 16, "font-weight": 600, class: "halo" });
  if (!mine || !theirs) return;
  if (facing) {
    const [from, to] = [Math.max(...left) + 14, Math.min(...right) - 13];
    const above = block.marks.filter(({ side }) => side === "a");
    const names = nameBoxes(above, above.map(({ score }) => X(score)), width, narrow, gauge);
    if (narrow || !fitsOver(block.order, from, to, names)) return void picture.append(text(0, 20, "start"));
    const y = LINE - 13;
    picture.append(svg("path", { d: `M${from},${y} H${to} M${from},${y - 5} v10 M${to},${y - 5} v10`, fill: "none", stroke: "currentColor", "stroke-width": 1.25 }));
    return void picture.append(text((from + to) / 2, y - 9, "middle"));
  }
  const [low, high] = [Math.min(...of("a")), Math.max(...of("b"))].sort((one, two) => one - two);
  picture.append(svg("rect", { x: low - 11, y: LINE - 11, width: high - low + 22, height: 22, rx: 11, fill: "none", stroke: "currentColor", "stroke-width": 1.5, "stroke-dasharray": "4 3" }), text(0, 20, "start"));
}

/**
 * The lower tier: the changes that keep the reading as dots from the typed word on, and the move as an arrow.
 * @param {Blocks["score_line"]} block
 */
function movement(picture, block, X, axis, towards, colours, width, narrow, legend) {
  const [typed, other] = block.marks;
  const [from, to] = [X(typed.score), X(other.score)];
  picture.append(upright(from, LINE + 10, axis, colours.control_border, { "stroke-dasharray": "2 3" }), upright(to, LINE + 56, axis, "currentColor", { "stroke-width": 1.25 }));
  const step = DOT[narrow ? 1 : 0];
  for (const { x, row, value } of piled(block.sizes, (size) => X(typed.score + towards * size), step))
    picture.append(svg("circle", { cx: x, cy: axis - 4 - row * (narrow ? 4 : 4.6), r: narrow ? 1.6 : 2, fill: value > block.floor ? colours.muted : colours.aside }));
  const reach = Math.abs((towards < 0 ? from : width - from) / (X(1) - X(0)));
  const values = ticks(0, reach, tickStep(reach, narrow ? 3 : 4)).filter((value) => Math.abs(X(typed.score + towards * value) - from) < (towards < 0 ? from : width - from) - 8);
  picture.append(level(axis, from, X(typed.score + towards * values.at(-1)), colours.control_border));
  for (const value of values) {
    const x = X(typed.score + towards * value);
    picture.append(upright(x, axis, axis + 5, colours.control_border), label(x, axis + 19, value ? value.toFixed(2) : "0", { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  }
  const below = label(from, axis + 38, legend.axis, { "text-anchor": towards < 0 ? "end" : "start", class: "muted-ink" });
  below.append(svg("tspan", { class: "serif", "font-style": "italic" }, typed.word));
  picture.append(below);
  arrow(picture, block, from, to, axis - (narrow ? 84 : 88), X, width, colours, narrow);
  const lines = (narrow ? legend.around_short : legend.around).split("\n");
  lines.forEach((line, i) => picture.append(label(from - towards * (narrow ? 6 : 12), axis - (narrow ? 22 : 30) + i * (narrow ? 14 : 18), line, { "font-size": narrow ? 12 : 14, "text-anchor": towards < 0 ? "start" : "end" })));
}

/** Where a number of letters stands beside an arrow: past its tip, or over it where it is long or nothing fits beyond. */
export function besideArrow(from, to, edge, width, letters, narrow) {
  const left = to <= from; // where the arrow points to
  const room = letters * (narrow ? 6.4 : 7.1);
  const beyond = left ? Math.min(to, edge) - 10 : Math.max(to, edge) + 10;
  if (Math.abs(from - to) <= (narrow ? 180 : 300) && (left ? beyond >= room : beyond + room <= width)) return { x: beyond, above: false, start: !left };
  return { x: left ? Math.min(to + 14, width - room) : Math.max(to - 14, room), above: true, start: left };
}

/** @param {Blocks["score_line"]} block */
function arrow(picture, block, from, to, y, X, width, colours, narrow) {
  const paint = block.beyond ? "currentColor" : colours.muted;
  const size = block.beyond ? 9 : 5;
  const sign = to <= from ? 1 : -1; // of the arrow head's back
  if (Math.abs(to - from) > 1) {
    picture.append(svg("path", { d: `M${from},${y} H${to + sign * (size - 1)}`, stroke: paint, "stroke-width": block.beyond ? 2.5 : 2, fill: "none" }));
    picture.append(svg("path", { d: `M${to},${y} l${sign * size},${-size * 0.6} v${size * 1.2} Z`, fill: paint }));
  }
  const edge = X(block.marks[0].score - sign * block.floor);
  const { x, above, start } = besideArrow(from, to, edge, width, 6 + block.further.length, narrow);
  const text = label(x, above ? y - 10 : y + 5, "", { "text-anchor": start ? "start" : "end", "font-size": narrow ? 13.5 : 15, class: "halo" });
  text.append(svg("tspan", { "font-weight": 600 }, Math.abs(block.marks[0].score - block.marks[1].score).toFixed(2)), svg("tspan", { dx: 6 }, block.further));
  picture.append(text);
}

export const SCORE_DRAWERS = { score_line: scoreLine };
