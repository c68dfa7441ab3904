/** Leans on one axis: this sentence beside its shuffles and the scrambled twin, and every head beside its own. */

import { canvas, label, readingMark, signedNumber, ticks, tickStep } from "./draw.js";
import { svg } from "../lib/spans.js";

const STRIP_ROW = 58;
const STRIP_TOP = 20;

/** Half the width of an axis that holds every value, a little more than the largest, at least 0.2. */
export function axisReach(values) {
  return Math.max(0.2, 1.06 * values.reduce((most, value) => Math.max(most, Math.abs(value)), 0));
}

function reach(place, block, { colours, width, narrow }) {
  const left = narrow ? 0 : 215;
  const [x0, x1] = [left + 16, width - 16];
  const row = narrow ? 88 : STRIP_ROW;
  const foot = STRIP_TOP + row * block.rows.length;
  const limit = axisReach(block.rows.flatMap(({ leans }) => leans));
  const X = (value) => (x0 + x1) / 2 + ((value / limit) * (x1 - x0)) / 2;
  const picture = canvas(width, foot + 44, block.label);
  const { low, high } = block.band;
  picture.append(svg("rect", { x: X(low), y: STRIP_TOP, width: X(high) - X(low), height: foot - STRIP_TOP, fill: colours.surface }), svg("line", { x1: X(0), x2: X(0), y1: STRIP_TOP, y2: foot, stroke: colours.control_border }));
  const bandText = (value) => (narrow ? signedNumber(value) : `half of the shuffles reach past ${signedNumber(value)}`);
  picture.append(label(X(high) + 5 > width - 230 && !narrow ? width : X(high) + 5, 14, bandText(high), { class: "muted-ink", "text-anchor": X(high) + 5 > width - 230 && !narrow ? "end" : "start" }));
  picture.append(label(X(low) - 5, 14, bandText(low), { class: "muted-ink", "text-anchor": "end" }));
  block.rows.forEach((entry, i) => {
    const y = STRIP_TOP + i * row + row / 2 + (narrow ? 16 : 0);
    picture.append(label(0, narrow ? y - 38 : y, entry.title, { "font-size": narrow ? 14 : 15, "font-weight": 600, class: "halo" }));
    if (!narrow) picture.append(label(0, y + 18, entry.about, { class: "muted-ink" }));
    STRIP_MARKS[entry.marks](picture, entry, X, y, colours);
  });
  picture.append(svg("line", { x1: x0, x2: x1, y1: foot, y2: foot, stroke: colours.control_border }));
  for (const value of ticks(-limit, limit, tickStep(limit, 3))) {
    picture.append(svg("line", { x1: X(value), x2: X(value), y1: foot, y2: foot + 5, stroke: colours.control_border }));
    picture.append(label(X(value), foot + 19, value ? signedNumber(value, 1) : "0", { "font-size": 12.5, "text-anchor": "middle", class: "muted-ink" }));
  }
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
    for (const lean of leans) picture.append(svg("line", { x1: X(lean), x2: X(lean), y1: y - 5, y2: y + 5, stroke: colours.control_border, "stroke-opacity": 0.35 }));
    for (const lean of furthest) picture.append(svg("line", { x1: X(lean), x2: X(lean), y1: y - 11, y2: y + 11, stroke: "currentColor", "stroke-width": 1.5 }));
  },
  twin(picture, { leans }, X, y, colours) {
    for (const lean of leans) picture.append(svg("line", { x1: X(lean), x2: X(lean), y1: y - 8, y2: y + 8, stroke: colours.control_border, "stroke-opacity": 0.8 }));
  },
};

function ownShuffles(place, block, { colours, width, narrow }) {
  const [layers, heads] = [block.lean.length, block.lean[0].length];
  const [left, gap] = narrow ? [34, 3] : [54, 12];
  const column = (width - left - gap * (layers - 1)) / (layers * heads);
  const height = narrow ? 230 : 250;
  const [top, bottom] = [22, 26];
  const limit = axisReach([...block.low.flat(), ...block.high.flat(), ...block.lean.flat()]);
  const Y = (value) => top + (height - top - bottom) * (1 - (value + limit) / (2 * limit));
  const picture = canvas(width, height, block.label);
  for (const value of ticks(-limit, limit, tickStep(limit, 2))) {
    picture.append(svg("line", { x1: left, x2: width, y1: Y(value), y2: Y(value), stroke: value ? colours.border : colours.control_border }));
    picture.append(label(left - 8, Y(value) + 4, value ? signedNumber(value, 1) : "0", { "font-size": 12.5, "text-anchor": "end", class: "muted-ink" }));
  }
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
  picture.append(svg("line", { x1: x, x2: x, y1: Y(block.low[layer][head]), y2: Y(block.high[layer][head]), stroke: colours.control_border, "stroke-opacity": 0.55, "stroke-width": bar }));
  if (block.none[layer][head]) picture.append(svg("circle", { cx: x, cy: Y(lean), r: radius * 0.7, fill: colours.background, stroke: colours.abstain }));
  else picture.append(readingMark(x, Y(lean), radius, lean > 0, { fill: colours[lean > 0 ? "a" : "b"].graphic, stroke: colours.background, "stroke-width": 0.75 }));
  if (block.outside[layer][head]) picture.append(svg("circle", { cx: x, cy: Y(lean), r: radius + 3.5, fill: "none", stroke: "currentColor", "stroke-width": 1.5 }));
}

export const STRIP_DRAWERS = { reach, own_shuffles: ownShuffles };
