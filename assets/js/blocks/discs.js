/** Every head as a disc for its change or its mean lean, with a ring for its limit. */

import { eachHead, headName, headNumbers, layerNames } from "../lib/grid.js";
import { dot, drawing, frame, headButton, key, sample, signedNumber, written } from "../lib/chart.js";
import { filledText } from "../lib/spans.js";

const RING = 1.4; // px of a floor's line
const SMALLEST = 1.4; // px of a disc, so that no head is missing

/** The radius of a disc whose area is a value; `top` fills a cell. */
export function discRadius(value, top, largest) {
  return Math.max(SMALLEST, largest * Math.sqrt(Math.max(0, value) / top));
}

/** How far a head lies beyond its floor: "named" more than twice, "beyond", "within"; "plain" where there is no floor. */
export function standing(change, floor) {
  if (floor === null || floor === undefined) return "plain";
  if (change > 2 * floor) return "named";
  return change > floor ? "beyond" : "within";
}

/** What discs and rings of a style look like, what is said of a head, and the entries of the key. */
const STYLES = { changes, leans };

function changes({ floor, top }, { colours, legend }) {
  const paints = {
    named: { fill: colours.text, stroke: colours.background },
    beyond: { fill: colours.aside, stroke: colours.text },
    within: { fill: colours.border, stroke: colours.text },
    plain: { fill: colours.aside, stroke: "none" },
  };
  const disc = (x, y, radius, change, limit) => dot(x, y, radius, paints[standing(change, limit)].fill);
  const ring = (x, y, radius, change, limit) => dot(x, y, radius, "none", paints[standing(change, limit)].stroke, RING);
  const mark = (change, text, own, other) => [
    sample(30, 30, disc(15, 15, own, change, 1), ring(15, 15, other, change, 1)),
    text,
  ];
  const marks = [
    mark(3, legend.named, 13, 6),
    mark(1.5, legend.beyond, 10, 8),
    mark(0.5, legend.within, 7, 11),
    [legend.both],
  ];
  const said = (change, limit) =>
    `${change.toFixed(3)} bits${limit === null ? "" : `, ${legend.floor} ${limit.toFixed(3)}`}`;
  return { disc, ring, said, largest: 0.47, numbered: true, marks: floor ? marks : [], size: `${top.toFixed(2)} bits` };
}

/** Beyond the limit in the ink of text, within it pale; filled to a, open to b. */
function leans({ floor, top }, { colours, legend }) {
  const disc = (x, y, radius, lean, limit) => {
    const ink = limit !== null && Math.abs(lean) > limit ? colours.text : colours.aside;
    return dot(x, y, radius, lean < 0 ? colours.background : ink, ink, 2);
  };
  const ring = (x, y, radius) => dot(x, y, radius, "none", colours.muted, null, { "stroke-dasharray": "2 2" });
  const mark = (lean, text) => [sample(24, 24, disc(12, 12, 8, lean, 1)), text];
  const within = [mark(0.5, legend.a_within), mark(-0.5, legend.b_within)];
  const marks = () => [
    mark(2, legend.a_beyond),
    mark(-2, legend.b_beyond),
    ...within,
    [sample(24, 24, ring(12, 12, 9)), filledText(legend.shared, { lean: floor[0][0].toFixed(3) })],
  ];
  const said = (lean) => filledText(legend.mean, { lean: signedNumber(lean, 3) });
  return { disc, ring, said, largest: 0.44, numbered: false, marks: floor ? marks() : within, size: top.toFixed(3) };
}

/**
 * Heads as discs, as large as the width lets them be and as a finger needs.
 * @type {Drawer<"head_discs">}
 */
export function headDiscs(block, tools) {
  const { values, floor, pins, label } = block;
  const { colours, width, narrow, legend } = tools;
  const { disc, ring, said, largest, numbered, marks, size } = STYLES[block.style](block, tools);
  const [heads, left, top] = [values[0].length, narrow ? 28 : 64, 24];
  const pitch = Math.min(64, (width - left) / heads);
  const row = Math.max(pitch, narrow ? 30 : 0);
  const places = { left, top, pitch, row, narrow, size: narrow ? 13 : 14, at: 13 };
  const cells = eachHead(values, places, (value, layer, head, x, y) => {
    const name = headName(layer, head);
    const limit = floor?.[layer][head] ?? null;
    const radius = (of) => discRadius(Math.abs(of), block.top, pitch * largest);
    const [pin, middle] = [pins.indexOf(name), [x + pitch / 2, y + row / 2]];
    return [
      disc(...middle, radius(value), value, limit),
      limit !== null && ring(...middle, radius(limit), value, limit),
      pin >= 0 && pinFrame(...middle, pitch - 4, (numbered ? pitch : row) - 4, numbered ? pin + 1 : null, colours),
      headButton(x, y, pitch, row, name, said(value, limit)),
    ];
  });
  const names = [headNumbers(heads, places), layerNames(values.length, places)];
  return [
    drawing(width, top + values.length * row + 6, label, names, cells),
    key(...marks, [filledText(legend.area, { size })]),
  ];
}

/** The frame of a pinned head around a place, with its number at the corner where it has one. */
function pinFrame(x, y, width, height, number, colours) {
  const [left, top, right] = [x - width / 2, y - height / 2, x + width / 2];
  const around = frame(left, top, width, height, colours.accent, 2, { rx: 3 });
  if (number === null) return around;
  const text = written(right, top + 4, number, "bold middle", 12, { style: `fill:${colours.on_accent}` });
  return [around, dot(right, top, 9, colours.accent), text];
}
