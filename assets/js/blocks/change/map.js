/** Every head as a disc for its change and a ring for its floor; and the named ones as a list with their swaps. */

import { discRadius, standing } from "./marks.js";
import { eachHead, headName, headNumbers, layerNames } from "../../lib/grid.js";
import {
  bar,
  dot,
  drawing,
  frame,
  headButton,
  key,
  level,
  rowChart,
  sample,
  tickStep,
  ticks,
  upright,
  written,
} from "../../lib/chart.js";
import { filledText } from "../../lib/spans.js";
/** @import { Blocks } from "../../blocks.d.ts" */
/** @import { Drawer } from "../../drawers.d.ts" */

const ROW = 30;
const HEADS = 20; // px for what is written above a column
const RING = 1.4; // px of a floor's line

function paints(kind, colours) {
  return {
    named: { fill: colours.text, stroke: colours.background },
    beyond: { fill: colours.aside, stroke: colours.text },
    within: { fill: colours.border, stroke: colours.text },
    plain: { fill: colours.aside, stroke: "none" },
  }[kind];
}

/** Where heads stand as discs: as large as the width lets them be, and as a finger needs. */
export function discPlaces(heads, width, narrow) {
  const left = narrow ? 28 : 64;
  const pitch = Math.min(64, (width - left) / heads);
  const row = Math.max(pitch, narrow ? 30 : 0);
  return { left, top: 24, pitch, row, narrow, size: narrow ? 13 : 14, at: 13, side: Math.min(pitch, row) };
}

/** @type {Drawer<"change_map">} */
export function map(place, block, { colours, width, narrow, legend }) {
  const [layers, heads] = [block.change.length, block.change[0].length];
  const places = discPlaces(heads, width, narrow);
  const { top, pitch, row, side } = places;
  const picture = drawing(width, top + layers * row + 6, block.label);
  const cells = eachHead(block.change, places, (change, layer, head, left, above) => {
    const floor = block.floor?.[layer][head] ?? null;
    const { fill, stroke } = paints(standing(change, floor), colours);
    const [x, y, radius] = [left + pitch / 2, above + row / 2, (value) => discRadius(value, block.top, side * 0.47)];
    const name = headName(layer, head);
    const pin = block.pins.indexOf(name);
    const said =
      floor === null ? `${change.toFixed(3)} bits` : `${change.toFixed(3)} bits, ${legend.floor} ${floor.toFixed(3)}`;
    return [
      dot(x, y, radius(change), fill),
      ...(floor === null ? [] : [dot(x, y, radius(floor), "none", stroke, RING)]),
      ...(pin < 0 ? [] : pinFrame(x - (pitch - 4) / 2, y - (side - 4) / 2, pitch - 4, side - 4, pin + 1, colours)),
      headButton(left, above, pitch, row, name, said),
    ];
  });
  picture.append(...headNumbers(heads, places), ...layerNames(layers, places), ...cells);
  place.append(picture, marksAndScale(block, colours, legend));
}

/** The frame of a pinned head, with its number at the corner. */
export function pinFrame(x, y, width, height, number, colours) {
  const text = written(x + width, y + 4, number, "bold middle", 12, { style: `fill:${colours.on_accent}` });
  return [frame(x, y, width, height, colours.accent, 2, { rx: 3 }), dot(x + width, y, 9, colours.accent), text];
}

/** @param {Blocks["change_map"]} block */
function marksAndScale(block, colours, legend) {
  const mark = (kind, disc, ring) => {
    const { fill, stroke } = paints(kind, colours);
    return [sample(30, dot(15, 15, disc, fill), dot(15, 15, ring, "none", stroke, RING)), legend[kind]];
  };
  const marks = block.floor ? [mark("named", 13, 6), mark("beyond", 10, 8), mark("within", 7, 11), [legend.both]] : [];
  return key(...marks, [filledText(legend.area, { bits: block.top.toFixed(2) })]);
}

/** @type {Drawer<"change_rank">} */
export function rank(place, block, { colours, width, legend }) {
  const values = ticks(0, block.top, tickStep(block.top, 3));
  const room = { width, left: 64, right: 84, count: block.rows.length, row: ROW, top: HEADS, after: 8, below: 46 };
  const text = (value) => (value ? value.toFixed(2) : "0");
  const { picture, X, foot, y: at } = rowChart({ label: block.label, ...room, high: block.top, values, text, colours });
  picture.append(
    written(width, HEADS - 8, legend.word, "end muted-ink", 12),
    written(0, foot + 38, legend.axis, "muted-ink", 12),
  );
  block.rows.forEach((row, i) => {
    const y = at(i);
    picture.append(
      written(0, y + 5, row.name, "code", 14),
      bar(X(0), X(row.floor), y, 12, colours.border),
      ...row.swaps.map((value) => upright(X(value), y - 8, y + 8, colours.aside, { "stroke-width": 1.4 })),
      level(y, X(row.floor), X(row.change), colours.text, { "stroke-width": 1.5 }),
      dot(X(row.change), y, 5, colours.text),
      written(width, y + 5, row.word, "serif italic end", 15),
    );
  });
  place.append(picture);
}
