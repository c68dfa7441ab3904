/** What each head carries: layers × heads in their own warm grey, and the same heads on one axis beside three others. */

import { eachHead, headName, headNumbers, layerNames } from "../lib/grid.js";
import { directFrame } from "./matter.js";
import {
  axis,
  bar,
  box,
  dot,
  drawing,
  frame,
  hatchDefs,
  inkOver,
  keyEntries,
  rampKey,
  scale,
  upright,
  wholePercent,
  written,
} from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { filledText, svg } from "../lib/spans.js";
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
  const [left, top] = narrow ? [28, 24] : [64, 46];
  const strip = narrow || !block.control ? 0 : Math.min(380, width * 0.34);
  const room = block.control ? width : Math.min(width, 760);
  const pitch = Math.floor((room - left - strip - (strip ? 36 : 0)) / heads);
  const places = { left, top, pitch, row: narrow ? 28 : Math.min(46, Math.floor(pitch * 0.86)), narrow };
  const picture = drawing(width, top + places.row * layers + 8, block.label);
  const absent = (layer) => block.carried[layer].every((share) => share === null);
  const names = layerNames(layers, { ...places, quiet: absent, raised: narrow ? null : block.direct });
  picture.append(hatchDefs(id, colours), ...headNumbers(heads, { ...places, at: top - 8 }), ...names);
  const cells = eachHead(block.carried, places, (share, layer, head, x, y) => {
    if (share === null) return [];
    return carriedCell(
      share,
      { named: isNamed(block, layer, head), within: Math.abs(share) <= block.floor },
      x,
      y,
      places,
      colours,
    );
  });
  block.carried.forEach(
    (_, layer) =>
      absent(layer) &&
      picture.append(...absentRow(layer === layers - 1 ? block.absent : "", layer, heads, places, colours, id)),
  );
  picture.append(...cells);
  for (const [layer, head] of block.named)
    picture.append(frame(left + head * pitch - 1, top + layer * places.row - 1, pitch, places.row, "currentColor", 2));
  if (block.direct !== undefined) {
    picture.append(directFrame(block.direct, heads, places));
    if (!narrow)
      picture.append(written(0, top + (block.direct + 0.5) * places.row + 15, legend.direct, "muted-ink", 12));
  }
  if (strip)
    picture.append(...controlStrip(block, { x: width - strip, width: strip, top, row: places.row }, colours, legend));
  place.append(picture);
  if (narrow && block.control) {
    const own = drawing(width, 40 + 46 * block.control.length, legend.axis);
    own.append(...layerNames(block.control.length, { top: 40, row: 46, narrow, size: 13 }));
    own.append(...controlStrip(block, { x: 28, width: width - 28, top: 40, row: 46 }, colours, legend));
    place.append(own);
  }
}

/** @param {Blocks["carried_map"]} block */
function isNamed(block, layer, head) {
  return block.named.some(([l, h]) => l === layer && h === head);
}

function absentRow(text, layer, heads, { left, top, pitch, row, narrow }, colours, id) {
  const y = top + layer * row;
  const hatched = box(left, y + 4, heads * pitch - 2, row - 6, `url(#${id})`);
  if (!text) return [hatched];
  const width = (narrow ? 6.2 : 6.6) * text.length + 14;
  const x = left + (heads * pitch) / 2;
  return [
    hatched,
    box(x - width / 2, y + row / 2 - 10, width, 21, colours.background),
    written(x, y + row / 2 + 5, text, "middle muted-ink"),
  ];
}

function carriedCell(share, { named, within }, x, y, { pitch, row, narrow }, colours) {
  if (within)
    return [box(x, y, pitch - 2, row - 2, colours.background, { stroke: colours.border, "stroke-width": 0.75 })];
  const colour = rampAt(colours.carried, Math.max(0, share) / CARRIED_TOP);
  const nodes = [];
  if (share >= 0) nodes.push(box(x, y, pitch - 2, row - 2, css(colour)));
  else if (share <= -0.005)
    nodes.push(frame(x + 1.5, y + 1.5, pitch - 5, row - 5, colours.carried_negative, 1.25, { "stroke-opacity": 0.75 }));
  const ink = share >= 0 ? inkOver(colour, colours) : colours.muted;
  const size = narrow ? 12 : named ? 15 : 12.5;
  const text = narrow && share < 0.05 ? "" : carriedText(share);
  if (text)
    nodes.push(
      written(x + pitch / 2 - 1, y + row / 2 + 4, text, named ? "code middle bold" : "code middle", size, {
        style: `fill:${ink}`,
      }),
    );
  return nodes;
}

/** @param {Blocks["carried_map"]} block */
function controlStrip(block, { x, width, top, row }, colours, legend) {
  const on = scale(x + 12, x + width - 12, AXIS_LOW, AXIS_HIGH);
  const X = (share) => on(Math.max(AXIS_LOW, Math.min(AXIS_HIGH, share)));
  const lines = [top, top + row * block.control.length];
  const text = (share) => (share ? wholePercent(share) : "0");
  const numbers = { at: top - 8, text, lines, stroke: colours.border, zero: colours.control_border, size: 12 };
  const rows = block.control.flatMap((control, layer) => {
    const y = top + (layer + 0.5) * row;
    const range = control
      ? [
          bar(X(control.low), X(control.high), y, row * 0.72, colours.changed),
          upright(X(control.mean), y - row * 0.36, y + row * 0.36, colours.aside, { "stroke-width": 2 }),
        ]
      : [];
    const dots = block.carried[layer].flatMap((share, head) => {
      if (share === null) return [];
      const [radius, fill, opacity] = isNamed(block, layer, head)
        ? [6.5, "currentColor", 1]
        : [3.2, colours.background, 0.65];
      const name = opacity === 1 ? [written(X(share), y - 10, headName(layer, head), "code halo middle", 12.5)] : [];
      return [dot(X(share), y, radius, fill, "currentColor", 1.2, { "stroke-opacity": opacity }), ...name];
    });
    return [...range, ...dots];
  });
  return [...axis(X, [0, 0.1, 0.2, 0.3], numbers), written(x, 14, legend.axis_with, "", 13.5), ...rows];
}

/** @type {Drawer<"carried_legend">} */
function carriedLegend(place, block, { colours, legend }) {
  const mark = (stroke, dash = "none") =>
    svg(
      "svg",
      { width: 20, height: 14, "aria-hidden": "true" },
      frame(1, 1, 18, 12, stroke, 1.25, { "stroke-dasharray": dash }),
    );
  place.append(
    ...keyEntries(
      ["0", rampKey(colours.carried), filledText(legend.top, { share: wholePercent(CARRIED_TOP) })],
      [mark(colours.border), legend.empty],
      [mark(colours.carried_negative), legend.negative],
      [mark("currentColor", "3 2"), legend.direct],
    ),
  );
}

export const CARRIED_DRAWERS = { carried_map: carriedMap, carried_legend: carriedLegend };
