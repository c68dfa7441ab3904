/** Every head as a cell, and the heads of one layer with intervals. */

import { css } from "../../lib/colour.js";
import { element, svg } from "../../lib/spans.js";
import { numbersBelow, scale, tickStep, ticks, upright } from "../../lib/chart.js";
import { canvas, headButton, hatchDefs, label } from "../draw.js";
import { ink, legendRamp, mark, shadeOf } from "./marks.js";
/** @import { Blocks } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const LEAST_CELL = 62; // px; a narrower map scrolls sideways inside itself
const FADED = 0.2;
const ROW = 26;

/** @type {Drawer<"atlas_map">} */
export function map(place, block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.values.length, block.values[0].length];
  const [left, top, height] = [narrow ? 34 : 76, 22, narrow ? 46 : 52];
  const cell = Math.max(LEAST_CELL, Math.min(120, (width - left) / heads));
  const picture = canvas(left + heads * cell, top + layers * height + 12, block.label);
  picture.append(hatchDefs(`${id}-hatch`, colours));
  const sorted = block.order.some((row) => row.some((head, at) => head !== at));
  const over = [];
  for (let layer = 0; layer < layers; layer++) {
    const y = top + layer * height;
    picture.append(label(0, y + height / 2, narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": 14 }));
    block.order[layer].forEach((head, at) => {
      const x = left + at * cell;
      if (!layer && !sorted) picture.append(label(x + cell / 2, 13, `H${head}`, { "font-size": 12, class: "code muted-ink", "text-anchor": "middle" }));
      const name = `L${layer}H${head}`;
      const group = svg("g", block.kept[layer][head] ? {} : { opacity: FADED });
      group.append(...cellNodes(block, layer, head, { x, y, width: cell - 2, height: height - 10 }, colours, `${id}-hatch`, sorted));
      picture.append(group);
      const pin = block.pins.indexOf(name);
      if (pin >= 0 || name === block.focus) over.push(...framed(x, y, cell - 2, height - 10, pin, colours));
      over.push(headButton(x, y, cell - 2, height - 4, name, `${block.texts[layer][head]}, ${Math.round(block.aside[layer][head] * 100)} % to attention sinks`));
    });
  }
  picture.append(...over);
  place.append(rampAndBar(block, colours, legend), element("div", { class: "scroll-x" }, picture), key(block, colours));
}

/** @param {Blocks["atlas_map"]} block */
function cellNodes(block, layer, head, { x, y, width, height }, colours, hatch, sorted) {
  const value = block.values[layer][head];
  const none = value === null;
  const colour = shadeOf(colours, none ? 0 : value, block.attention);
  const paint = ink(colour, colours);
  const nodes = [
    svg("rect", { x, y, width, height, fill: none ? `url(#${hatch})` : css(colour) }),
    svg("rect", { x: x + 0.5, y: y + 0.5, width: width - 1, height: height - 1, fill: "none", stroke: colours.border }),
    svg("rect", { x, y: y + height + 2, width: width * Math.min(1, block.aside[layer][head]), height: 3, fill: colours.aside }),
    label(x + width - 9, y + height / 2 + 5, block.texts[layer][head], { "font-size": 14, class: "code", "text-anchor": "end", style: `fill:${paint}` }),
  ];
  const pattern = block.marks[layer]?.[head];
  if (pattern) nodes.push(mark(pattern, 18, { x: x + 7, y: y + height / 2 - 9, style: `color:${paint}` }));
  if (sorted) nodes.push(label(x + 4, y - 2, `H${head}`, { "font-size": 12, class: "code muted-ink" }));
  return nodes;
}

function framed(x, y, width, height, pin, colours) {
  const frame = svg("rect", { x: x - 1, y: y - 1, width: width + 2, height: height + 2, fill: "none", stroke: pin >= 0 ? colours.accent : colours.text, "stroke-width": 2 });
  if (pin < 0) return [frame];
  const number = label(x + width - 2, y + 3, pin + 1, { "font-size": 12, "font-weight": 600, "text-anchor": "middle", style: `fill:${colours.on_accent}` });
  return [frame, svg("circle", { cx: x + width - 2, cy: y - 1, r: 9, fill: colours.accent }), number];
}

/** @param {Blocks["atlas_map"]} block */
function rampAndBar(block, colours, legend) {
  const ramp = element("i", { class: "atlas-ramp", style: `background:${legendRamp(colours, block.attention)}` });
  const bar = element("i", { class: "atlas-bar", style: `background:${colours.aside}` });
  return element("div", { class: "atlas-legend" }, element("span", {}, block.ends[0], ramp, block.ends[1]), element("span", {}, bar, legend.aside));
}

/** @param {Blocks["atlas_map"]} block */
function key(block, colours) {
  const marks = block.counts.map(([name, text]) => element("span", { style: `color:${colours.text}` }, ...(name ? [mark(name, 18)] : []), text));
  return element("div", { class: "atlas-legend atlas-key" }, ...marks);
}

/** @type {Drawer<"atlas_row">} */
export function row(place, block, { colours, width, narrow }) {
  const right = narrow ? 16 : 210;
  const X = scale(64, width - right, 0, block.top);
  const share = block.unit === "share";
  const foot = block.rows.length * ROW;
  const picture = canvas(width, foot + 30, block.label);
  const values = ticks(0, block.top, tickStep(block.top, narrow ? 4 : 8));
  const text = (value) => (share ? `${Math.round(value * 100)}${value === values.at(-1) ? "\u00a0%" : ""}` : `${value}`);
  picture.append(...values.map((value) => upright(X(value), 0, foot, colours.border)), ...numbersBelow(X, foot + 18, values, text));
  block.rows.forEach((one, at) => {
    const y = at * ROW + ROW / 2;
    picture.append(label(0, y + 5, one.name, { "font-size": 14, class: "code" }));
    if (one.low !== null) picture.append(svg("line", { x1: X(one.low), x2: X(one.high), y1: y, y2: y, stroke: colours.text, "stroke-width": 11, "stroke-opacity": 0.28 }));
    picture.append(svg("circle", { cx: X(one.mean), cy: y, r: 4, fill: colours.text }));
    if (one.here !== null) picture.append(svg("circle", { cx: X(one.here), cy: y, r: 5, fill: "none", stroke: colours.text, "stroke-width": 1.4 }));
    if (!narrow) picture.append(label(width, y + 5, one.text, { "font-size": 13, class: "code muted-ink", "text-anchor": "end", "xml:space": "preserve" }));
  });
  place.append(picture);
}
