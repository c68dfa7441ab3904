/** Does it matter: where heads lean against how far silencing them moves the score, and one head turned up or down. */

import { eachHead, headName, headNumbers, headsOf, layerNames } from "../lib/grid.js";
import {
  axis,
  axisLeft,
  box,
  dot,
  drawing,
  frame,
  hatchDefs,
  headButton,
  inkOver,
  keyEntries,
  level,
  readingMark,
  sample,
  scale,
  signed,
  signedNumber,
  stroked,
  tickStep,
  ticks,
  upright,
  written,
} from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { filledText } from "../lib/spans.js";

const NAME = [54, 15]; // px that the name of a head takes
const NUMBERED = 0.27; // of the scale of effects, from which on one is written

/** The scale of effects: ± 0.03 unless some head moves the score further; then the next pleasant number. */
export function effectScale(effects) {
  const most = effects.reduce(
    (largest, effect) => (effect === null ? largest : Math.max(largest, Math.abs(effect))),
    0,
  );
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
function scatter(block, { colours, width, narrow, legend }) {
  const height = narrow ? 340 : 400;
  const [left, bottom] = [60, 50];
  const heads = headsOf(block, ["effect", "lean", "none"]).filter(({ effect }) => effect !== null);
  const lean = Math.max(0.3, ...heads.map((head) => Math.abs(head.lean))) * 1.08;
  const limit = effectScale(block.effect.flat()) * 1.04;
  const X = scale(left, width - 12, -lean, lean);
  const Y = scale(height - bottom, 14, -limit, limit);

  const named = block.named.map(([layer, at]) => headName(layer, at));
  const wanted = heads
    .filter(({ name }) => named.includes(name))
    .map(({ name, lean: at, effect }) => ({ name, x: X(at), y: Y(effect) + (effect < 0 ? 16 : -9) }));
  const names = apart(wanted).map(({ name, x, y }) => {
    const end = x > width - 90;
    return written(x + (end ? -10 : 10), y, name, end ? "code halo end" : "code halo");
  });
  return drawing(
    width,
    height,
    block.label,
    level(Y(0), X(-lean), X(lean), colours.control_border),
    upright(X(0), Y(-limit), Y(limit), colours.control_border),
    axis(X, ticks(-lean, lean, tickStep(lean, 3)), { at: height - bottom + 18, text: signed(1) }),
    axisLeft(Y, left, ticks(-limit, limit, tickStep(limit, 3)), signed(limit < 0.1 ? 2 : 1)),
    heads.map((head) =>
      scatterMark({ ...head, direct: head.layer === block.direct }, X(head.lean), Y(head.effect), colours),
    ),
    names,
    written(X(0), height - 8, narrow ? legend.axis_short : legend.axis, "middle", 14),
    written(14, Y(0), legend.effect, "middle", 14, { transform: `rotate(-90 14 ${Y(0)})` }),
    written(left + 4, Y(limit) + 6, legend.a, "", 13, { style: `fill:${colours.a.text}` }),
    written(left + 4, Y(-limit) - 2, legend.b, "", 13, { style: `fill:${colours.b.text}` }),
  );
}

function scatterMark({ lean, none, direct }, x, y, colours) {
  if (none)
    return dot(x, y, 4, colours.background, colours.abstain, null, { "stroke-dasharray": direct ? "none" : "1.3 1.6" });
  const ink = colours[lean > 0 ? "a" : "b"].graphic;
  return readingMark(x, y, 6, lean > 0, {
    fill: direct ? colours.background : ink,
    "fill-opacity": 0.85,
    stroke: ink,
    "stroke-width": 1.75,
  });
}

/** @type {Drawer<"effect_map">} */
function effectMap(block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.effect.length, block.effect[0].length];
  const [left, top] = [narrow ? 30 : 64, 24];
  const pitch = Math.floor((Math.min(width, 520) - left) / heads);
  const places = { left, top, pitch, row: pitch * 0.86, narrow };
  const full = effectScale(block.effect.flat());
  const absent = (layer) => layer >= block.reach;
  const cells = eachHead(block.effect, places, (effect, layer, head, x, y) => {
    const wide = pitch - (absent(layer) ? 0 : 2);
    if (effect === null) return box(x, y + 1, wide, places.row - 3, `url(#${id})`);
    const colour = rampAt(colours.lean, (effect / full + 1) / 2);
    const text = signedNumber(effect * block.times, block.times > 1 ? 0 : 1);
    const look = { style: `fill:${inkOver(colour, colours)}` };
    const numbered = !narrow && Math.abs(effect) >= NUMBERED * full;
    return [
      box(x, y, pitch - 2, places.row - 2, css(colour)),
      numbered && written(x + pitch / 2 - 1, y + places.row / 2 + 4, text, "code middle", 12, look),
      block.hint && headButton(x, y, pitch - 2, places.row - 2, headName(layer, head), block.hint),
    ];
  });
  const middle = left + (heads * pitch) / 2;
  const later = block.effect.map((_, layer) => {
    const y = top + (layer + 0.5) * places.row;
    const ground = box(middle - 48, y - 10, 96, 20, colours.background);
    return absent(layer) && [ground, written(middle, y + 4.5, legend.later, "middle muted-ink")];
  });
  return drawing(
    left + pitch * heads,
    top + layers * places.row + 4,
    block.label,
    hatchDefs(id, colours),
    headNumbers(heads, { ...places, at: 14 }),
    layerNames(layers, { ...places, quiet: absent }),
    cells,
    later,
    block.direct !== null && directFrame(block.direct, heads, places),
  );
}

/** The frame of the layer whose heads act on the answer without a detour. */
export function directFrame(layer, heads, { left, top, pitch, row }) {
  const look = { rx: 2, "stroke-opacity": 0.75, "stroke-dasharray": "4 3" };
  return frame(left - 3, top + layer * row - 2, heads * pitch + 4, row + 2, "currentColor", 1.25, look);
}

/**
 * Lines of the score over the strength of one head, both versions; the other heads of its layer as thin lines.
 * @type {Drawer<"steer">}
 */
function steer(block, { colours, width, narrow, legend }) {
  const height = narrow ? 270 : 300;
  const [left, right, bottom] = [56, narrow ? 16 : 150, 44];
  const every = block.versions.flatMap(({ line, others }) => [line, ...others]).flat();
  const [least, most] = [Math.min(0, ...every), Math.max(0, ...every)];
  const pad = Math.max(0.01, (most - least) * 0.08);
  const [low, high] = [least - pad, most + pad];
  const last = block.strengths.at(-1);
  const X = scale(left, width - right, 0, last);
  const foot = height - bottom;
  const Y = scale(foot, 16, low, high);
  const picture = drawing(width, height, block.label);
  const across = { to: width - right, faint: colours.border, zero: colours.control_border };
  const curve = (scores, strengths) =>
    scores.map((score, i) => `${i ? "L" : "M"}${X(strengths[i])},${Y(score)}`).join("");
  picture.append(
    ...axisLeft(Y, left, ticks(low, high, tickStep(high - low, 4)), signed(2), across),
    ...axis(X, [0, 1, 2, 3], { at: foot + 20, text: (strength) => `${strength} ×` }),
    upright(X(1), 16, foot, colours.control_border, { "stroke-dasharray": "2 3" }),
    ...block.versions.flatMap(({ others }) =>
      others.map((other) => stroked(curve(other, block.few), colours.control_border, 1, { "stroke-opacity": 0.45 })),
    ),
  );
  const distance = block.strengths.map((strength) => Math.abs(strength - block.now));
  const at = distance.indexOf(Math.min(...distance));
  for (const { word, line } of block.versions) {
    const towardsA = line[at] > 0;
    const [x, y] = [X(block.strengths[at]), Y(line[at])];
    const text = `${word} ${signedNumber(line[at], 3)}`;
    picture.append(
      stroked(curve(line, block.strengths), "currentColor", 2.75),
      readingMark(x, y, 6.5, towardsA, {
        fill: colours[towardsA ? "a" : "b"].graphic,
        stroke: colours.background,
        "stroke-width": 1.5,
      }),
      narrow
        ? written(x, y - 12, text, "middle halo", 14)
        : written(width - right + 10, Y(line.at(-1)) + 5, text, "halo", 15),
    );
  }
  picture.append(
    written(X(1) + 5, foot - 6, legend.as_it_is, "muted-ink", 12.5),
    written(X(last / 2), height - 4, filledText(legend.axis, { head: block.name }), "middle", 14),
  );
  return picture;
}

/** What the marks of a `scatter` mean. @type {Drawer<"key">} */
export function effectKey(block, { colours, legend }) {
  const mark = (head) => sample(20, 20, scatterMark({ none: false, direct: false, ...head }, 10, 10, colours));
  const heads = { a: { lean: 1 }, b: { lean: -1 }, none: { lean: 1, none: true }, direct: { lean: 1, direct: true } };
  return keyEntries(...Object.entries(heads).map(([name, head]) => [mark(head), legend[name]]));
}

export const MATTER_DRAWERS = { scatter, effect_map: effectMap, steer };
