/** What each head carries: layers × heads in their own warm grey, and the same heads on one axis beside three others. */

import { css, inkOn, rampAt } from "../lib/colour.js";
import { numbersBelow, scale, upright } from "../lib/chart.js";
import { canvas, hatchDefs, label, wholePercent } from "./draw.js";
import { element, filledText, svg } from "../lib/spans.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const CARRIED_TOP = 0.3; // the share at the dark end of the ramp
const [AXIS_LOW, AXIS_HIGH] = [-0.06, 0.32];

/** Whole per cents without the sign for per cent; nothing for what rounds to 0. */
export function carriedText(share) {
  const whole = Math.round(Math.abs(share) * 100);
  return whole === 0 ? "" : `${share < 0 ? "\u2212" : ""}${whole}`;
}

/** @type {Drawer<"carried_map">} */
function carriedMap(place, block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.carried.length, block.carried[0].length];
  const left = narrow ? 28 : 64;
  const strip = narrow || !block.control ? 0 : Math.min(380, width * 0.34);
  const room = block.control ? width : Math.min(width, 760);
  const pitch = Math.floor((room - left - strip - (strip ? 36 : 0)) / heads);
  const row = narrow ? 28 : Math.min(46, Math.floor(pitch * 0.86));
  const top = narrow ? 24 : 46;
  const picture = canvas(width, top + row * layers + 8, block.label);
  picture.append(hatchDefs(id, colours));
  for (let head = 0; head < heads; head++) picture.append(label(left + head * pitch + pitch / 2 - 1, top - 8, narrow ? String(head) : `H${head}`, { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  const frames = [];
  const grid = { left, pitch, row, heads };
  block.carried.forEach((shares, layer) => {
    const y = top + layer * row;
    const absent = shares.every((share) => share === null);
    picture.append(label(0, y + row / 2 + (block.direct === layer && !narrow ? 0 : 5), narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": 14, class: absent ? "muted-ink" : "" }));
    if (absent) absentRow(picture, block.absent, y, grid, colours, id, narrow, layer === layers - 1);
    else shares.forEach((share, head) => carriedCell(picture, frames, share, { named: isNamed(block, layer, head), within: Math.abs(share) <= block.floor }, left + head * pitch, y, grid, colours, narrow));
    if (block.direct === layer) {
      frames.push(svg("rect", { x: left - 3, y: y - 2, width: heads * pitch + 4, height: row + 2, rx: 2, fill: "none", stroke: "currentColor", "stroke-opacity": 0.75, "stroke-width": 1.25, "stroke-dasharray": "4 3" }));
      if (!narrow) frames.push(label(0, y + row / 2 + 15, legend.direct, { "font-size": 12, class: "muted-ink" }));
    }
  });
  picture.append(...frames);
  if (strip) controlStrip(picture, block, { x: width - strip, width: strip, top, row }, colours, legend);
  place.append(picture);
  if (narrow && block.control) {
    const own = canvas(width, 40 + 46 * block.control.length, legend.axis);
    controlStrip(own, block, { x: 28, width: width - 28, top: 40, row: 46, names: true }, colours, legend);
    place.append(own);
  }
}

/** @param {Blocks["carried_map"]} block */
function isNamed(block, layer, head) {
  return block.named.some(([l, h]) => l === layer && h === head);
}

function absentRow(picture, text, y, { left, pitch, row, heads }, colours, id, narrow, say) {
  picture.append(svg("rect", { x: left, y: y + 4, width: heads * pitch - 2, height: row - 6, fill: `url(#${id})` }));
  if (!text || !say) return;
  const width = (narrow ? 6.2 : 6.6) * text.length + 14;
  picture.append(svg("rect", { x: left + (heads * pitch) / 2 - width / 2, y: y + row / 2 - 10, width, height: 21, fill: colours.background }));
  picture.append(label(left + (heads * pitch) / 2, y + row / 2 + 5, text, { "text-anchor": "middle", class: "muted-ink" }));
}

function carriedCell(picture, frames, share, { named, within }, x, y, { pitch, row }, colours, narrow) {
  if (within) return void picture.append(svg("rect", { x, y, width: pitch - 2, height: row - 2, fill: colours.background, stroke: colours.border, "stroke-width": 0.75 }));
  const colour = rampAt(colours.carried, Math.max(0, share) / CARRIED_TOP);
  if (share >= 0) picture.append(svg("rect", { x, y, width: pitch - 2, height: row - 2, fill: css(colour) }));
  else if (share <= -0.005) picture.append(svg("rect", { x: x + 1.5, y: y + 1.5, width: pitch - 5, height: row - 5, fill: "none", stroke: colours.carried_negative, "stroke-width": 1.25, "stroke-opacity": 0.75 }));
  const text = narrow && share < 0.05 ? "" : carriedText(share);
  const ink = share >= 0 ? inkOn(colour, colours.number_on_light, colours.number_on_dark) : colours.muted;
  if (text) picture.append(label(x + pitch / 2 - 1, y + row / 2 + 4, text, { "font-size": narrow ? 12 : named ? 15 : 12.5, "font-weight": named ? 600 : 400, "text-anchor": "middle", class: "code", style: `fill:${ink}` }));
  if (named) frames.push(svg("rect", { x: x - 1, y: y - 1, width: pitch, height: row, fill: "none", stroke: "currentColor", "stroke-width": 2 }));
}

/** @param {Blocks["carried_map"]} block */
function controlStrip(picture, block, { x, width, top, row, names = false }, colours, legend) {
  const axis = scale(x + 12, x + width - 12, AXIS_LOW, AXIS_HIGH);
  const X = (share) => axis(Math.max(AXIS_LOW, Math.min(AXIS_HIGH, share)));
  const foot = top + row * block.control.length;
  const shares = [0, 0.1, 0.2, 0.3];
  picture.append(...shares.map((share) => upright(X(share), top, foot, share ? colours.border : colours.control_border)));
  picture.append(...numbersBelow(X, top - 8, shares, (share) => (share ? wholePercent(share) : "0"), { "font-size": 12 }));
  picture.append(label(x, 14, legend.axis_with, { "font-size": 13.5 }));
  block.control.forEach((control, layer) => {
    const y = top + layer * row + row / 2;
    if (names) picture.append(label(0, y + 5, `L${layer}`, {}));
    if (control) {
      picture.append(svg("rect", { x: X(control.low), y: y - row * 0.36, width: Math.max(1, X(control.high) - X(control.low)), height: row * 0.72, fill: colours.changed }));
      picture.append(upright(X(control.mean), y - row * 0.36, y + row * 0.36, colours.aside, { "stroke-width": 2 }));
    }
    block.carried[layer].forEach((share, head) => {
      if (share === null) return;
      const named = isNamed(block, layer, head);
      picture.append(svg("circle", { cx: X(share), cy: y, r: named ? 6.5 : 3.2, fill: named ? "currentColor" : colours.background, stroke: "currentColor", "stroke-width": 1.2, "stroke-opacity": named ? 1 : 0.65 }));
      if (named) picture.append(label(X(share), y - 10, `L${layer}H${head}`, { "font-size": 12.5, "text-anchor": "middle", class: "code halo" }));
    });
  });
}

/** @type {Drawer<"carried_legend">} */
function carriedLegend(place, block, { colours, legend }) {
  const ramp = element("i", { class: "ramp", style: `background:linear-gradient(90deg,${colours.carried.map(css).join(",")})` });
  const sample = (dash, colour) => {
    const picture = svg("svg", { width: 20, height: 14, "aria-hidden": "true" }, svg("rect", { x: 1, y: 1, width: 18, height: 12, fill: "none", stroke: colour, "stroke-width": 1.25, "stroke-dasharray": dash }));
    return picture;
  };
  place.append(
    element("span", {}, "0", ramp, filledText(legend.top, { share: wholePercent(CARRIED_TOP) })),
    element("span", {}, sample("none", colours.border), legend.empty),
    element("span", {}, sample("none", colours.carried_negative), legend.negative),
    element("span", {}, sample("3 2", "currentColor"), legend.direct),
  );
}

export const CARRIED_DRAWERS = { carried_map: carriedMap, carried_legend: carriedLegend };
