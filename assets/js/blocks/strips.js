/** Leans on one axis: this sentence beside its shuffles and the scrambled twin, and every head beside its own. */

import { axisReach, level, numbersBelow, numbersLeft, scale, signed, tickStep, ticks, upright } from "./chart.js";
import { canvas, label, readingMark, signedNumber } from "./draw.js";
import { svg } from "../lib/spans.js";

const STRIP_ROW = 58;
const STRIP_TOP = 20;

function reach(place, block, { colours, width, narrow }) {
  const left = narrow ? 0 : 215;
  const [x0, x1] = [left + 16, width - 16];
  const row = narrow ? 88 : STRIP_ROW;
  const foot = STRIP_TOP + row * block.rows.length;
  const limit = axisReach(block.rows.flatMap(({ leans }) => leans));
  const X = scale(x0, x1, -limit, limit);
  const picture = canvas(width, foot + 44, block.label);
  const { low, high } = block.band;
  picture.append(svg("rect", { x: X(low), y: STRIP_TOP, width: X(high) - X(low), height: foot - STRIP_TOP, fill: colours.surface }), upright(X(0), STRIP_TOP, foot, colours.control_border));
  const bandText = (value) => (narrow ? signedNumber(value) : `half of the shuffles reach past ${signedNumber(value)}`);
  picture.append(label(X(high) + 5 > width - 230 && !narrow ? width : X(high) + 5, 14, bandText(high), { class: "muted-ink", "text-anchor": X(high) + 5 > width - 230 && !narrow ? "end" : "start" }));
  picture.append(label(X(low) - 5, 14, bandText(low), { class: "muted-ink", "text-anchor": "end" }));
  block.rows.forEach((entry, i) => {
    const y = STRIP_TOP + i * row + row / 2 + (narrow ? 16 : 0);
    picture.append(label(0, narrow ? y - 38 : y, entry.title, { "font-size": narrow ? 14 : 15, "font-weight": 600, class: "halo" }));
    if (!narrow) picture.append(label(0, y + 18, entry.about, { class: "muted-ink" }));
    STRIP_MARKS[entry.marks](picture, entry, X, y, colours);
  });
  const values = ticks(-limit, limit, tickStep(limit, 3));
  picture.append(level(foot, x0, x1, colours.control_border), ...values.map((value) => upright(X(value), foot, foot + 5, colours.control_border)));
  picture.append(...numbersBelow(X, foot + 19, values, signed(1)));
  picture.append(label(x0, foot + 36, `■ B, ${block.names.b}`, { style: `fill:${colours.b.text}` }), label(x1, foot + 36, `${block.names.a}, A ●`, { "text-anchor": "end", style: `fill:${colours.a.text}` }));
  place.append(picture);
}

const STRIP_MARKS = {
  heads(picture, { leans, none, named }, X, y, colours) {
    leans.forEach((lean, i) => {
      if (none[i]) picture.append(svg("circle", { cx: X(lean), cy: y, r: 3, fill: "none", stroke: colours.abstain, "stroke-dasharray": "1.2 1.4" }));
      else picture.append(readingMark(X(lean), y, 6, lean > 0, { fill: colours[lean > 0 ? "a" : "b"].graphic, "fill-opacity": 0.75, stroke: colours.background }));
    });
    for (const { name, lean } of named) picture.append(label(X(lean), y - 13, name, { class: "code halo", "text-anchor": "middle" }));
  },
  shuffles(picture, { leans, furthest }, X, y, colours) {
    for (const lean of leans) picture.append(upright(X(lean), y - 5, y + 5, colours.control_border, { "stroke-opacity": 0.35 }));
    for (const lean of furthest) picture.append(upright(X(lean), y - 11, y + 11, "currentColor", { "stroke-width": 1.5 }));
  },
  twin(picture, { leans }, X, y, colours) {
    for (const lean of leans) picture.append(upright(X(lean), y - 8, y + 8, colours.control_border, { "stroke-opacity": 0.8 }));
  },
};

function ownShuffles(place, block, { colours, width, narrow }) {
  const [layers, heads] = [block.lean.length, block.lean[0].length];
  const [left, gap] = narrow ? [34, 3] : [54, 12];
  const column = (width - left - gap * (layers - 1)) / (layers * heads);
  const height = narrow ? 230 : 250;
  const [top, bottom] = [22, 26];
  const limit = axisReach([...block.low.flat(), ...block.high.flat(), ...block.lean.flat()]);
  const Y = scale(height - bottom, top, -limit, limit);
  const picture = canvas(width, height, block.label);
  const lines = { to: width, faint: colours.border, zero: colours.control_border };
  picture.append(...numbersLeft(Y, left, ticks(-limit, limit, tickStep(limit, 2)), signed(1), lines));
  const radius = Math.max(1.8, Math.min(4.2, column * 0.32));
  for (let layer = 0; layer < layers; layer++) {
    const start = left + layer * (heads * column + gap);
    picture.append(label(start + (heads * column) / 2, height - 6, narrow ? `L${layer}` : `Layer ${layer}`, { "text-anchor": "middle", class: "muted-ink" }));
    for (let head = 0; head < heads; head++) ownColumn(picture, block, layer, head, start + (head + 0.5) * column, Y, radius, narrow ? 2 : 4, colours);
  }
  picture.append(label(left, 13, "↑ A", { style: `fill:${colours.a.text}` }), label(left + 40, 13, "↓ B", { style: `fill:${colours.b.text}` }));
  place.append(picture);
}

function ownColumn(picture, block, layer, head, x, Y, radius, bar, colours) {
  const lean = block.lean[layer][head];
  picture.append(upright(x, Y(block.low[layer][head]), Y(block.high[layer][head]), colours.control_border, { "stroke-opacity": 0.55, "stroke-width": bar }));
  if (block.none[layer][head]) picture.append(svg("circle", { cx: x, cy: Y(lean), r: radius * 0.7, fill: colours.background, stroke: colours.abstain }));
  else picture.append(readingMark(x, Y(lean), radius, lean > 0, { fill: colours[lean > 0 ? "a" : "b"].graphic, stroke: colours.background, "stroke-width": 0.75 }));
  if (block.outside[layer][head]) picture.append(svg("circle", { cx: x, cy: Y(lean), r: radius + 3.5, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}

export const STRIP_DRAWERS = { reach, own_shuffles: ownShuffles };
