/** Every head as a cell. */

import { legendRamp, mark, shadeOf } from "./marks.js";
import { eachHead, headName, headNumbers, layerName } from "../../lib/grid.js";
import { box, dot, drawing, frame, hatchDefs, headButton, inkOver, key, rampKey, written } from "../../lib/chart.js";
import { css } from "../../lib/colour.js";
import { element, put, svg } from "../../lib/spans.js";

const LEAST_CELL = 62; // px; a narrower map scrolls sideways inside itself
const FADED = 0.2;

/** @type {Drawer<"atlas_map">} */
export function map(block, { colours, width, narrow, id, legend }) {
  const [layers, heads] = [block.values.length, block.values[0].length];
  const [left, top, row] = [narrow ? 34 : 76, 22, narrow ? 46 : 52];
  const pitch = Math.max(LEAST_CELL, Math.min(120, (width - left) / heads));
  const [wide, high] = [pitch - 2, row - 10];
  const picture = drawing(left + heads * pitch, top + layers * row + 12, block.label);
  const sorted = block.order.some((order) => order.some((head, at) => head !== at));
  const look = { colours, hatch: `${id}-hatch`, sorted };
  const over = [];
  const cells = eachHead(block.order, { left, top, pitch, row }, (head, layer, _, x, y) => {
    const name = headName(layer, head);
    const pin = block.pins.indexOf(name);
    const aside = Math.round(block.aside[layer][head] * 100);
    if (pin >= 0 || name === block.focus) over.push(...framed(x, y, wide, high, pin, colours));
    over.push(headButton(x, y, wide, row - 4, name, `${block.told[layer][head]}, ${aside} % to attention sinks`));
    const nodes = cellNodes(block, layer, head, { x, y, width: wide, height: high }, look);
    return svg("g", block.kept[layer][head] ? {} : { opacity: FADED }, ...nodes);
  });
  put(
    picture,
    hatchDefs(look.hatch, colours),
    ...block.values.map((_, layer) => written(0, top + (layer + 0.5) * row, layerName(layer, narrow), "", 14)),
    !sorted && headNumbers(heads, { left, pitch, at: 13, narrow: false }),
    ...cells,
    ...over,
  );
  const bar = element("i.atlas-bar", { style: `background:${colours.aside}` });
  const scale = key([block.ends[0], rampKey(legendRamp(colours, block.attention)), block.ends[1]], [bar, legend.aside]);
  const marks = key(...block.counts.map(([name, text]) => [element("span.said", name && mark(name, 18), text)]));
  return [scale, element("div.scroll-x", picture), marks];
}

/** @param {Blocks["atlas_map"]} block */
function cellNodes(block, layer, head, { x, y, width, height }, { colours, hatch, sorted }) {
  const value = block.values[layer][head];
  const colour = shadeOf(colours, value ?? 0, block.attention);
  const paint = inkOver(colour, colours);
  const pattern = block.marks[layer]?.[head];
  return [
    box(x, y, width, height, value === null ? `url(#${hatch})` : css(colour)),
    frame(x + 0.5, y + 0.5, width - 1, height - 1, colours.border),
    box(x, y + height + 2, width * Math.min(1, block.aside[layer][head]), 3, colours.aside),
    written(x + width - 9, y + height / 2 + 5, block.texts[layer][head], "code end", 14, { style: `fill:${paint}` }),
    ...(pattern ? [mark(pattern, 18, { x: x + 7, y: y + height / 2 - 9, style: `color:${paint}` })] : []),
    ...(sorted ? [written(x + 4, y - 2, `H${head}`, "code muted-ink", 12)] : []),
  ];
}

function framed(x, y, width, height, pin, colours) {
  const edge = frame(x - 1, y - 1, width + 2, height + 2, pin >= 0 ? colours.accent : colours.text, 2);
  if (pin < 0) return [edge];
  const number = written(x + width - 2, y + 3, pin + 1, "bold middle", 12, { style: `fill:${colours.on_accent}` });
  return [edge, dot(x + width - 2, y - 1, 9, colours.accent), number];
}
