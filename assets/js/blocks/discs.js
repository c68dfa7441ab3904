/** Every head as a disc: for its change, with a ring for its own floor, or for its mean lean. */

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

function paints(kind, colours) {
  return {
    named: { fill: colours.text, stroke: colours.background },
    beyond: { fill: colours.aside, stroke: colours.text },
    within: { fill: colours.border, stroke: colours.text },
    plain: { fill: colours.aside, stroke: "none" },
  }[kind];
}

/**
 * Heads as discs, as large as the width lets them be and as a finger needs; `draw` gives the marks of each, and what is
 * said of it.
 * @param {(value: number, head: any, cell: any) => [Element[], string]} draw
 */
function discs(values, label, { width, narrow }, draw) {
  const [heads, left, top] = [values[0].length, narrow ? 28 : 64, 24];
  const pitch = Math.min(64, (width - left) / heads);
  const row = Math.max(pitch, narrow ? 30 : 0);
  const places = { left, top, pitch, row, narrow, size: narrow ? 13 : 14, at: 13 };

  const cells = eachHead(values, places, (value, layer, head, x, y) => {
    const name = headName(layer, head);
    const cell = { x: x + pitch / 2, y: y + row / 2, pitch, row, side: Math.min(pitch, row) };
    const [marks, said] = draw(value, { layer, head, name }, cell);
    return [...marks, headButton(x, y, pitch, row, name, said)];
  });
  return drawing(
    width,
    top + values.length * row + 6,
    label,
    headNumbers(heads, places),
    layerNames(values.length, places),
    cells,
  );
}

/** @type {Drawer<"change_map">} */
export function changeMap(block, tools) {
  const { colours, legend } = tools;
  const picture = discs(block.change, block.label, tools, (change, { layer, head, name }, { x, y, pitch, side }) => {
    const floor = block.floor?.[layer][head] ?? null;
    const { fill, stroke } = paints(standing(change, floor), colours);
    const radius = (value) => discRadius(value, block.top, side * 0.47);
    const pin = block.pins.indexOf(name);
    const ring = floor === null ? [] : [dot(x, y, radius(floor), "none", stroke, RING)];
    const around = pin < 0 ? [] : pinFrame(x, y, pitch - 4, side - 4, pin + 1, colours);
    const beside = floor === null ? "" : `, ${legend.floor} ${floor.toFixed(3)}`;
    return [[dot(x, y, radius(change), fill), ...ring, ...around], `${change.toFixed(3)} bits${beside}`];
  });
  const mark = (kind, disc, ring) => {
    const { fill, stroke } = paints(kind, colours);
    return [sample(30, 30, dot(15, 15, disc, fill), dot(15, 15, ring, "none", stroke, RING)), legend[kind]];
  };
  const marks = block.floor ? [mark("named", 13, 6), mark("beyond", 10, 8), mark("within", 7, 11), [legend.both]] : [];
  return [picture, key(...marks, [filledText(legend.area, { bits: block.top.toFixed(2) })])];
}

/** The frame of a pinned head around a place, with its number at the corner. */
function pinFrame(x, y, width, height, number, colours) {
  const [left, top, right] = [x - width / 2, y - height / 2, x + width / 2];
  const text = written(right, top + 4, number, "bold middle", 12, { style: `fill:${colours.on_accent}` });
  return [frame(left, top, width, height, colours.accent, 2, { rx: 3 }), dot(right, top, 9, colours.accent), text];
}

/** Leans: beyond the floor that all share in the ink of text, within it pale; filled to a, open to b. @type {Drawer<"atlas_lean">} */
export function atlasLean({ lean: values, pins, top: full, label, floor = null }, tools) {
  const { colours, legend } = tools;
  const disc = (x, y, radius, lean, least) => {
    const ink = least !== null && Math.abs(lean) > least ? colours.text : colours.aside;
    return dot(x, y, radius, lean < 0 ? colours.background : ink, ink, 2);
  };
  const ring = (x, y, radius) => dot(x, y, radius, "none", colours.muted, null, { "stroke-dasharray": "2 2" });
  const picture = discs(values, label, tools, (value, { name }, { x, y, pitch, row, side }) => {
    const radius = (size) => discRadius(size, full, side * 0.44);
    const [wide, high] = [pitch - 4, row - 4];
    const marks = [
      disc(x, y, radius(Math.abs(value)), value, floor),
      ...(floor === null ? [] : [ring(x, y, radius(floor))]),
      ...(pins.includes(name) ? [frame(x - wide / 2, y - high / 2, wide, high, colours.accent, 2, { rx: 3 })] : []),
    ];
    return [marks, filledText(legend.mean, { lean: signedNumber(value, 3) })];
  });
  const mark = (value, text) => [sample(24, 24, disc(12, 12, 8, value, 1)), text];
  const beyond = [mark(2, legend.a_beyond), mark(-2, legend.b_beyond)];
  const within = [mark(0.5, legend.a_within), mark(-0.5, legend.b_within)];
  const area = [filledText(legend.area, { lean: full.toFixed(3) })];
  const shared = [sample(24, 24, ring(12, 12, 9)), filledText(legend.floor, { lean: (floor ?? 0).toFixed(3) })];
  return [picture, floor === null ? key(...within, area) : key(...beyond, ...within, shared, area)];
}
