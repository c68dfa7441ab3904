/** Over all forced pairs of a kind: each head on "tells them apart" and on "carries", intervals, and the score's dots. */

import { level, numbersBelow, scale, signed, tickStep, ticks, upright } from "../lib/chart.js";
import { canvas, label, signedNumber, wholePercent } from "./draw.js";
import { filledText, svg } from "../lib/spans.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const INTERVAL_ROW = 22;
const DOT = 6.4; // px from dot to dot

/**
 * Every head twice, joined: where the lines cross, looking and carrying are different sets of heads.
 * @type {Drawer<"calibration_strip">}
 */
function calibrationStrip(place, block, { colours, width, narrow, legend }) {
  const left = narrow ? 4 : 215;
  const heads = block.heads;
  const told = heads.filter(({ tells }) => tells).sort((one, two) => two.pair - one.pair);
  const carry = heads.filter(({ named }) => named).sort((one, two) => two.share - one.share);
  const y1 = 50 + told.length * INTERVAL_ROW + (narrow ? 20 : 0);
  const y2 = y1 + 120;
  const height = y2 + 40 + carry.length * INTERVAL_ROW + (narrow ? 24 : 0);
  const picture = canvas(width, height, block.label);
  const pairs = heads.map(({ pair }) => pair);
  const shares = heads.flatMap(({ share, from, to, named }) => (named ? [share, from, to] : [share]));
  const X = scale(left + 12, width - 14, Math.min(...pairs, 0.3), Math.max(...heads.flatMap(({ tells, pair, pair_to }) => (tells ? [pair_to] : [pair]))));
  const Z = scale(left + 12, width - 14, Math.min(...shares, -0.02), Math.max(...shares, 0.2));
  picture.append(svg("rect", { x: left, y: y1 - 15, width: Math.max(0, X(block.limit) - left), height: 30, fill: colours.surface }));
  for (const y of [y1, y2]) picture.append(level(y, left, width - 4, colours.control_border));
  const curve = (head, paint) => {
    const [a, b] = [X(head.pair), Z(head.share)];
    picture.append(svg("path", { d: `M${a},${y1} C${a},${(y1 + y2) / 2} ${b},${(y1 + y2) / 2} ${b},${y2}`, fill: "none", ...paint }));
  };
  for (const head of heads) if (!head.tells && !head.named) curve(head, { stroke: colours.control_border, "stroke-opacity": 0.4 });
  for (const head of heads) if (head.tells || head.named) curve(head, { stroke: "currentColor", "stroke-width": head.tells && head.sure ? 3.5 : 1.75, "stroke-dasharray": head.named ? "none" : "6 4" });
  for (const head of heads) {
    const loud = head.tells || head.named;
    picture.append(svg("circle", { cx: X(head.pair), cy: y1, r: head.tells ? 6 : 3, fill: head.tells ? "currentColor" : colours.background, stroke: "currentColor", "stroke-opacity": loud ? 1 : 0.5 }));
    picture.append(svg("circle", { cx: Z(head.share), cy: y2, r: head.named ? 6 : 3, fill: head.named && head.sure ? "currentColor" : colours.background, stroke: "currentColor", "stroke-opacity": loud ? 1 : 0.5 }));
  }
  told.forEach((head, i) => interval(picture, y1 - 26 - i * INTERVAL_ROW, [X(head.pair_from), X(head.pair), X(head.pair_to)], `${head.name} ${wholePercent(head.pair)}`, true, left, colours));
  carry.forEach((head, i) => interval(picture, y2 + 32 + i * INTERVAL_ROW, [Z(head.from), Z(head.share), Z(head.to)], `${head.name} ${wholePercent(head.share)}`, head.sure, left, colours));
  const small = { "font-size": 12, class: "muted-ink halo" };
  picture.append(...numbersBelow(X, y1 + 29, ticks(X.low, X.high, 0.1), wholePercent, small));
  picture.append(...numbersBelow(Z, y2 - 12, ticks(Z.low, Z.high, 0.1), (tick) => (tick ? wholePercent(tick) : "0"), small));
  stripTitles(picture, block, narrow, { y1, y2, height, left }, legend);
  place.append(picture);
}

function interval(picture, y, [from, at, to], text, sure, left, colours) {
  picture.append(level(y, from, to, "currentColor", { "stroke-width": 1.5, "stroke-dasharray": sure ? "none" : "3 2" }));
  picture.append(svg("circle", { cx: at, cy: y, r: 3.2, fill: sure ? "currentColor" : colours.background, stroke: "currentColor" }));
  const right = from < left + 84;
  picture.append(label(right ? to + 8 : from - 8, y + 4.5, text, { class: "code halo", "text-anchor": right ? "start" : "end" }));
}

/** @param {Blocks["calibration_strip"]} block */
function stripTitles(picture, block, narrow, { y1, y2, height, left }, legend) {
  const bold = { "font-size": 15, "font-weight": 600 };
  if (narrow) {
    picture.append(label(0, 16, legend.tells_short, bold), label(0, height - 6, legend.carries, bold));
    picture.append(label(left, y1 - 21, legend.band_short, { "font-size": 12.5, class: "muted-ink halo" }));
    return;
  }
  picture.append(label(0, y1 + 1, legend.tells, bold), label(0, y1 + 19, filledText(legend.tells_of, { n: block.n_pairs }), { class: "muted-ink" }));
  picture.append(label(0, y2 + 1, legend.carries, bold), label(0, y2 + 19, filledText(legend.carries_of, { n: block.n_patched }), { class: "muted-ink" }));
  picture.append(label(left + 2, y1 - 21, legend.band, { "font-size": 12.5, class: "muted-ink halo" }));
}

/** Plain intervals where no head carries: rows of {name, value, from, to, loud}. @type {Drawer<"forest">} */
function forest(place, block, { colours, width, narrow, legend }) {
  const left = narrow ? 150 : 210;
  const row = 42;
  const low = Math.min(0.4, ...block.rows.map(({ from, value }) => from ?? value));
  const X = scale(left, width - 16, low, 1);
  const foot = block.rows.length * row + 8;
  const picture = canvas(width, foot + 40, block.label);
  picture.append(upright(X(0.5), 4, foot - 4, colours.control_border, { "stroke-dasharray": "2 3" }));
  block.rows.forEach(({ name, value, from, to, loud }, i) => {
    const y = i * row + row / 2 + 4;
    picture.append(label(0, y + 5, name, { "font-size": narrow ? 13 : 15, "font-weight": loud ? 600 : 400 }));
    if (from !== undefined) picture.append(level(y, X(from), X(to), "currentColor", { "stroke-width": 2.5 }));
    picture.append(svg("circle", { cx: X(value), cy: y, r: loud ? 7 : 6, fill: loud ? "currentColor" : colours.background, stroke: loud ? "currentColor" : colours.control_border, "stroke-width": 2 }));
    picture.append(label(X(value), y - 11, value.toFixed(2), { "text-anchor": "middle", class: "code" }));
  });
  picture.append(...numbersBelow(X, foot + 14, ticks(low, 1, 0.1), (tick) => tick.toFixed(1)));
  picture.append(label(X(0.5), foot + 32, legend.even, { "text-anchor": "middle", class: "muted-ink" }));
  place.append(picture);
}

/** Dots stacked by value: [{x, level, value}], bins of one dot's width, zero between two bins. */
export function stackedDots(values, X, step = DOT) {
  const levels = new Map();
  return [...values]
    .sort((one, two) => one - two)
    .map((value) => {
      const bin = Math.floor((X(value) - X(0)) / step);
      const level = levels.get(bin) ?? 0;
      levels.set(bin, level + 1);
      return { x: X(0) + (bin + 0.5) * step, level, value };
    });
}

/**
 * The score's difference in every forced pair, shuffled words under them, this sentence as a line.
 * @type {Drawer<"pair_dots">}
 */
function pairDots(place, block, { colours, width, narrow, legend }) {
  const all = [...block.pairs, ...block.shuffled, ...(block.mine === null ? [] : [block.mine])];
  const limit = Math.max(0.02, ...all.map(Math.abs)) * 1.12;
  const X = scale(10, width - 10, -limit, limit);
  const rows = [
    [block.pairs, "currentColor", block.titles[0]],
    [block.shuffled, colours.aside, block.titles[1]],
  ];
  const stacks = rows.map(([values]) => stackedDots(values, X));
  const tall = stacks.map((dots) => Math.max(64, 16 + DOT * Math.max(0, ...dots.map(({ level }) => level + 1))));
  const feet = [46 + tall[0], 46 + tall[0] + 40 + tall[1]];
  const picture = canvas(width, feet[1] + 56, block.label);
  picture.append(upright(X(0), 18, feet[1] + 6, colours.control_border));
  rows.forEach(([, fill, [title, about]], i) => {
    for (const { x, level, value } of stacks[i]) {
      const right = value > 0;
      picture.append(svg("circle", { cx: x, cy: feet[i] - DOT / 2 - 0.5 - level * DOT, r: right ? 2.8 : 2.3, fill: right ? fill : colours.background, stroke: fill, "stroke-width": right ? 0 : 1.1 }));
    }
    picture.append(level(feet[i] + 1, 10, width - 10, colours.control_border));
    picture.append(label(10, feet[i] - 48, title, { "font-size": 14, "font-weight": 600, class: "halo" }), label(10, feet[i] - 29, about, { class: "muted-ink halo" }));
  });
  if (block.mine !== null) {
    const x = X(block.mine);
    picture.append(upright(x, feet[0] - 62, feet[0], colours.accent, { "stroke-width": 2.5 }));
    picture.append(label(Math.max(150, Math.min(width - 6, x + 40)), feet[0] - 68, filledText(legend.mine, { score: signedNumber(block.mine) }), { "font-size": 14, "font-weight": 600, "text-anchor": "end", style: `fill:${colours.accent}`, class: "halo" }));
  }
  picture.append(...numbersBelow(X, feet[1] + 20, ticks(-limit, limit, tickStep(limit, narrow ? 2 : 3)), signed(limit < 0.15 ? 2 : 1)));
  picture.append(label(width / 2, feet[1] + 44, narrow ? legend.axis_short : legend.axis, { "text-anchor": "middle", class: "muted-ink" }));
  place.append(picture);
}

export const PAIR_DRAWERS = { calibration_strip: calibrationStrip, forest, pair_dots: pairDots };
