/** Does it matter: where heads lean against how far silencing them moves the score, and one head turned up or down. */

import { css, inkOn, rampAt } from "../lib/colour.js";
import { level, numbersBelow, numbersLeft, scale, signed, tickStep, ticks, upright } from "../lib/chart.js";
import { canvas, hatchDefs, headButton, label, readingMark, signedNumber } from "./draw.js";
import { element, filledText, svg } from "../lib/spans.js";
/** @import { Drawer } from "../drawers.d.ts" */

const NAME = [54, 15]; // px that the name of a head takes

/** The scale of effects: ± 0.03 unless some head moves the score further; then the next pleasant number. */
export function effectScale(effects) {
  const most = effects.reduce((largest, effect) => (effect === null ? largest : Math.max(largest, Math.abs(effect))), 0);
  return most <= 0.03 ? 0.03 : tickStep(most, 1);
}

/** Names of points, none over another: one that would touch a higher one goes under it. */
export function apart(names) {
  const placed = [];
  for (const one of [...names].sort((a, b) => a.y - b.y)) {
    const above = placed.filter(({ x }) => Math.abs(x - one.x) < NAME[0]).map(({ y }) => y + NAME[1]);
    placed.push({ ...one, y: Math.max(one.y, ...above) });
  }
  return placed;
}

/** @type {Drawer<"scatter">} */
function scatter(place, block, { colours, width, narrow, legend }) {
  const height = narrow ? 340 : 400;
  const [left, bottom] = [60, 50];
  const lean = Math.max(0.3, ...block.heads.map((head) => Math.abs(head.lean))) * 1.08;
  const limit = effectScale(block.heads.map(({ effect }) => effect)) * 1.04;
  const X = scale(left, width - 12, -lean, lean);
  const Y = scale(height - bottom, 14, -limit, limit);
  const picture = canvas(width, height, block.label);
  picture.append(level(Y(0), X(-lean), X(lean), colours.control_border), upright(X(0), Y(-limit), Y(limit), colours.control_border));
  picture.append(...numbersBelow(X, height - bottom + 18, ticks(-lean, lean, tickStep(lean, 3)), signed(1)));
  picture.append(...numbersLeft(Y, left, ticks(-limit, limit, tickStep(limit, 3)), signed(limit < 0.1 ? 2 : 1)));
  for (const head of block.heads) picture.append(scatterMark(head, X(head.lean), Y(head.effect), colours));
  const wanted = block.heads.filter((head) => head.named).map(({ name, lean: at, effect }) => ({ name, x: X(at), y: Y(effect) + (effect < 0 ? 16 : -9) }));
  for (const { name, x, y } of apart(wanted)) {
    const end = x > width - 90;
    picture.append(label(x + (end ? -10 : 10), y, name, { class: "code halo", "text-anchor": end ? "end" : "start" }));
  }
  picture.append(label(X(0), height - 8, narrow ? legend.axis_short : legend.axis, { "font-size": 14, "text-anchor": "middle" }));
  picture.append(label(14, Y(0), legend.effect, { "font-size": 14, "text-anchor": "middle", transform: `rotate(-90 14 ${Y(0)})` }));
  picture.append(label(left + 4, Y(limit) + 6, legend.a, { style: `fill:${colours.a.text}` }), label(left + 4, Y(-limit) - 2, legend.b, { style: `fill:${colours.b.text}` }));
  place.append(picture);
}

function scatterMark({ lean, none, direct }, x, y, colours) {
  if (none) return svg("circle", { cx: x, cy: y, r: 4, fill: colours.background, stroke: colours.abstain, "stroke-dasharray": direct ? "none" : "1.3 1.6" });
  const ink = colours[lean > 0 ? "a" : "b"].graphic;
  return readingMark(x, y, 6, lean > 0, { fill: direct ? colours.background : ink, "fill-opacity": 0.85, stroke: ink, "stroke-width": 1.75 });
}

/** @type {Drawer<"effect_map">} */
function effectMap(place, block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.effect.length, block.effect[0].length];
  const left = narrow ? 30 : 64;
  const pitch = Math.floor((Math.min(width, 520) - left) / heads);
  const row = pitch * 0.86;
  const top = 24;
  const scale = effectScale(block.effect.flat());
  const picture = canvas(left + pitch * heads, top + layers * row + 4, block.label);
  picture.append(hatchDefs(id, colours));
  for (let head = 0; head < heads; head++) picture.append(label(left + head * pitch + pitch / 2, 14, narrow ? String(head) : `H${head}`, { "font-size": 12, "text-anchor": "middle", class: "code muted-ink" }));
  block.effect.forEach((effects, layer) => {
    const y = top + layer * row;
    const absent = layer >= block.reach;
    picture.append(label(0, y + row / 2 + 5, narrow ? `L${layer}` : `Layer ${layer}`, { "font-size": 14, class: absent ? "muted-ink" : "" }));
    effects.forEach((effect, head) => {
      const x = left + head * pitch;
      if (effect === null) {
        picture.append(svg("rect", { x, y: y + 1, width: pitch - (absent ? 0 : 2), height: row - 3, fill: `url(#${id})` }));
        return;
      }
      const colour = rampAt(colours.lean, (effect / scale + 1) / 2);
      picture.append(svg("rect", { x, y, width: pitch - 2, height: row - 2, fill: css(colour) }));
      if (!narrow && Math.abs(effect) >= 0.27 * scale) {
        const text = signedNumber(effect * block.times, block.times > 1 ? 0 : 1);
        picture.append(label(x + pitch / 2 - 1, y + row / 2 + 4, text, { "font-size": 12, "text-anchor": "middle", class: "code", style: `fill:${inkOn(colour, colours.number_on_light, colours.number_on_dark)}` }));
      }
      if (block.hint) picture.append(headButton(x, y, pitch - 2, row - 2, `L${layer}H${head}`, block.hint));
    });
    if (absent) {
      picture.append(svg("rect", { x: left + (heads * pitch) / 2 - 48, y: y + row / 2 - 10, width: 96, height: 20, fill: colours.background }));
      picture.append(label(left + (heads * pitch) / 2, y + row / 2 + 4.5, legend.later, { "text-anchor": "middle", class: "muted-ink" }));
    }
    if (layer === block.direct) picture.append(svg("rect", { x: left - 3, y: y - 2, width: heads * pitch + 4, height: row + 2, rx: 2, fill: "none", stroke: "currentColor", "stroke-opacity": 0.75, "stroke-width": 1.25, "stroke-dasharray": "4 3" }));
  });
  place.append(picture);
}

/**
 * Lines of the score over the strength of one head, both versions; the other heads of its layer as thin lines.
 * @type {Drawer<"steer">}
 */
function steer(place, block, { colours, width, narrow, legend }) {
  const height = narrow ? 270 : 300;
  const [left, right, bottom] = [56, narrow ? 16 : 150, 44];
  const every = block.versions.flatMap(({ line, others }) => [line, ...others]).flat();
  const [least, most] = [Math.min(0, ...every), Math.max(0, ...every)];
  const pad = Math.max(0.01, (most - least) * 0.08);
  const [low, high] = [least - pad, most + pad];
  const last = block.strengths.at(-1);
  const X = scale(left, width - right, 0, last);
  const Y = scale(height - bottom, 16, low, high);
  const picture = canvas(width, height, block.label);
  const lines = { to: width - right, faint: colours.border, zero: colours.control_border };
  picture.append(...numbersLeft(Y, left, ticks(low, high, tickStep(high - low, 4)), signed(2), lines));
  picture.append(...numbersBelow(X, height - bottom + 20, [0, 1, 2, 3], (strength) => `${strength} ×`));
  picture.append(upright(X(1), 16, height - bottom, colours.control_border, { "stroke-dasharray": "2 3" }));
  const path = (scores, strengths) => scores.map((score, i) => `${i ? "L" : "M"}${X(strengths[i])},${Y(score)}`).join("");
  for (const { others } of block.versions) for (const other of others) picture.append(svg("path", { d: path(other, block.few), fill: "none", stroke: colours.control_border, "stroke-opacity": 0.45 }));
  const at = block.strengths.reduce((best, strength, i) => (Math.abs(strength - block.now) < Math.abs(block.strengths[best] - block.now) ? i : best), 0);
  for (const { word, line } of block.versions) {
    picture.append(svg("path", { d: path(line, block.strengths), fill: "none", stroke: "currentColor", "stroke-width": 2.75 }));
    const towardsA = line[at] > 0;
    picture.append(readingMark(X(block.strengths[at]), Y(line[at]), 6.5, towardsA, { fill: colours[towardsA ? "a" : "b"].graphic, stroke: colours.background, "stroke-width": 1.5 }));
    const [x, y] = narrow ? [X(block.strengths[at]), Y(line[at]) - 12] : [width - right + 10, Y(line.at(-1)) + 5];
    picture.append(label(x, y, `${word} ${signedNumber(line[at], 3)}`, { "font-size": narrow ? 14 : 15, "text-anchor": narrow ? "middle" : "start", class: "halo" }));
  }
  picture.append(label(X(1) + 5, height - bottom - 6, legend.as_it_is, { "font-size": 12.5, class: "muted-ink" }));
  picture.append(label(X(last / 2), height - 4, filledText(legend.axis, { head: block.name }), { "font-size": 14, "text-anchor": "middle" }));
  place.append(picture);
}

/** @type {Drawer<"effect_key">} */
function effectKey(place, block, { colours, legend }) {
  const mark = (head) => svg("svg", { width: 20, height: 20, "aria-hidden": "true" }, scatterMark({ none: false, direct: false, ...head }, 10, 10, colours));
  place.append(
    element("span", {}, mark({ lean: 1 }), legend.a),
    element("span", {}, mark({ lean: -1 }), legend.b),
    element("span", {}, mark({ lean: 1, none: true }), legend.none),
    element("span", {}, mark({ lean: 1, direct: true }), legend.direct),
  );
}

export const MATTER_DRAWERS = { effect_key: effectKey, scatter, effect_map: effectMap, steer };
