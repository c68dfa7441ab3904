/** Every head as a disc for its change and a ring for its floor; and the named ones as a list with their swaps. */

import { element, filledText, svg } from "../../lib/spans.js";
import { numbersBelow, scale, tickStep, ticks, upright } from "../../lib/chart.js";
import { canvas, headButton, label } from "../draw.js";
import { discRadius, standing } from "./marks.js";
/** @import { Blocks } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const ROW = 30;
const HEADS = 20; // px for what is written above a column

function paints(kind, colours) {
  return {
    named: { fill: colours.text, stroke: colours.background },
    beyond: { fill: colours.aside, stroke: colours.text },
    within: { fill: colours.border, stroke: colours.text },
    plain: { fill: colours.aside, stroke: "none" },
  }[kind];
}

/** @type {Drawer<"change_map">} */
export function map(place, block, { colours, width, narrow, legend }) {
  const [layers, heads] = [block.change.length, block.change[0].length];
  const [left, top] = [narrow ? 28 : 64, 24];
  const pitch = Math.min(64, (width - left) / heads);
  const height = Math.max(pitch, narrow ? 30 : 0);
  const largest = Math.min(pitch, height) * 0.47;
  const picture = canvas(width, top + layers * height + 6, block.label);
  for (let layer = 0; layer < layers; layer++) {
    const y = top + layer * height + height / 2;
    picture.append(label(0, y + 5, narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": narrow ? 13 : 14 }));
    for (let head = 0; head < heads; head++) {
      const x = left + head * pitch + pitch / 2;
      if (!layer && (pitch > 22 || head % 2 === 0)) picture.append(label(x, 13, narrow ? head : `H${head}`, { "font-size": 12, class: "code muted-ink", "text-anchor": "middle" }));
      const change = block.change[layer][head];
      const floor = block.floor?.[layer][head];
      const { fill, stroke } = paints(standing(change, floor), colours);
      picture.append(svg("circle", { cx: x, cy: y, r: discRadius(change, block.top, largest), fill }));
      if (block.floor) picture.append(svg("circle", { cx: x, cy: y, r: discRadius(floor, block.top, largest), fill: "none", stroke, "stroke-width": 1.4 }));
      const name = `L${layer}H${head}`;
      const pin = block.pins.indexOf(name);
      if (pin >= 0) picture.append(...pinned(x, y, pitch, height, pin + 1, colours));
      const said = block.floor ? `${change.toFixed(3)} bits, ${legend.floor} ${floor.toFixed(3)}` : `${change.toFixed(3)} bits`;
      picture.append(headButton(left + head * pitch, y - height / 2, pitch, height, name, said));
    }
  }
  place.append(picture, marksAndScale(block, colours, legend));
}

function pinned(x, y, pitch, height, number, colours) {
  const [w, h] = [pitch - 4, Math.min(pitch, height) - 4];
  return [
    svg("rect", { x: x - w / 2, y: y - h / 2, width: w, height: h, rx: 3, fill: "none", stroke: colours.accent, "stroke-width": 2 }),
    svg("circle", { cx: x + w / 2, cy: y - h / 2, r: 9, fill: colours.accent }),
    label(x + w / 2, y - h / 2 + 4, number, { "font-size": 12, "font-weight": 600, "text-anchor": "middle", style: `fill:${colours.on_accent}` }),
  ];
}

/** @param {Blocks["change_map"]} block */
function marksAndScale(block, colours, legend) {
  const mark = (kind, text, disc, ring) => {
    const { fill, stroke } = paints(kind, colours);
    const picture = svg("svg", { width: 30, height: 30, "aria-hidden": "true" }, svg("circle", { cx: 15, cy: 15, r: disc, fill }), svg("circle", { cx: 15, cy: 15, r: ring, fill: "none", stroke, "stroke-width": 1.4 }));
    return element("span", {}, picture, text);
  };
  const marks = block.floor ? [mark("named", legend.named, 13, 6), mark("beyond", legend.beyond, 10, 8), mark("within", legend.within, 7, 11)] : [];
  return element("div", { class: "change-legend" }, ...marks, ...(block.floor ? [element("span", {}, legend.both)] : []), element("span", {}, filledText(legend.area, { bits: block.top.toFixed(2) })));
}

/** @type {Drawer<"change_rank">} */
export function rank(place, block, { colours, width, legend }) {
  const [left, right] = [64, 84];
  const X = scale(left, width - right, 0, block.top);
  const foot = block.rows.length * ROW + 8;
  const picture = canvas(width, HEADS + foot + 46, block.label);
  const drawn = svg("g", { transform: `translate(0 ${HEADS})` });
  picture.append(label(width, HEADS - 8, legend.word, { "font-size": 12, class: "muted-ink", "text-anchor": "end" }), drawn);
  const values = ticks(0, block.top, tickStep(block.top, 3));
  drawn.append(...values.map((value) => upright(X(value), 0, foot, colours.border)), ...numbersBelow(X, foot + 18, values, (value) => (value ? value.toFixed(2) : "0")));
  drawn.append(label(0, foot + 38, legend.axis, { "font-size": 12, class: "muted-ink" }));
  block.rows.forEach((row, i) => {
    const y = i * ROW + ROW / 2;
    drawn.append(
      label(0, y + 5, row.name, { "font-size": 14, class: "code" }),
      svg("rect", { x: X(0), y: y - 6, width: Math.max(0, X(row.floor) - X(0)), height: 12, fill: colours.border }),
      ...row.swaps.map((value) => upright(X(value), y - 8, y + 8, colours.aside, { "stroke-width": 1.4 })),
      svg("line", { x1: X(row.floor), x2: X(row.change), y1: y, y2: y, stroke: colours.text, "stroke-width": 1.5 }),
      svg("circle", { cx: X(row.change), cy: y, r: 5, fill: colours.text }),
      label(width, y + 5, row.word, { "font-size": 15, class: "serif", "font-style": "italic", "text-anchor": "end" }),
    );
  });
  place.append(picture);
}
