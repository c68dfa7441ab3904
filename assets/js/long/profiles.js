/** Every head's weights at one token, or from it, over the whole text: a line a head, a band a layer. */

import { layerName, nthHead } from "../lib/grid.js";
import { edged, sheet } from "../lib/map.js";
import { element } from "../lib/spans.js";
import { byteColours, hatchHidden, hatchKey, legend } from "./paint.js";

const LINE = 5; // px of a head
const THINNEST = 3; // px, where there are many
const TALLEST = 900; // px of all of them
const GAP = 6;
const LEFT = 56;

/** How tall a line is, so that all of them stand on about one screen and a half. */
export function lineHeight(layers, heads) {
  return Math.max(THINNEST, Math.min(LINE, Math.floor(TALLEST / (layers * heads))));
}

/** The head under a point, or −1. */
export function headAt(y, line, heads, layers) {
  const band = heads * line + GAP;
  const layer = Math.floor(y / band);
  const head = Math.floor((y - layer * band) / line);
  return layer >= 0 && layer < layers && head >= 0 && head < heads ? layer * heads + head : -1;
}

export function profiles(root, { header, arrays }, { colours, width, narrow, trigger }) {
  const { layers, heads, tokens } = header;
  const left = narrow ? 28 : LEFT;
  const room = width - left;
  const line = lineHeight(layers, heads);
  const band = heads * line + GAP;
  const cells = arrays.weights.shape[2];
  const pitch = (room * header.cell) / tokens;
  const { canvas, pen } = sheet(room, layers * band, { role: "img", "aria-label": header.label, class: "pick" });
  const paint = byteColours(colours.ramp, header.top);
  const bytes = arrays.weights.data;
  const token = (header.token / tokens) * room;
  for (let i = 0; i < layers * heads; i++) {
    const y = Math.floor(i / heads) * band + (i % heads) * line;
    for (let c = 0; c < cells; c++) {
      const byte = bytes[i * cells + c];
      if (!byte) continue;
      pen.fillStyle = paint[byte];
      pen.fillRect(c * pitch, y, Math.min(pitch + 0.4, room - c * pitch), line + 0.2);
    }
  }
  for (let layer = 0; layer < layers; layer++) {
    const y = layer * band;
    if (header.causal) hatchHidden(pen, { at: header.at, token, pitch, room, y, height: heads * line }, colours.hatch);
    edged(pen, 0, y, room, heads * line, colours.border);
  }
  pen.fillStyle = colours.text;
  pen.fillRect(token - 1, 0, 2, layers * band - GAP);
  const [layer, head] = header.head.slice(1).split("H").map(Number);
  pen.strokeStyle = colours.accent;
  pen.lineWidth = 1.5;
  pen.strokeRect(0.75, layer * band + head * line - 1.5, room - 1.5, line + 3);
  canvas.addEventListener("click", (event) => {
    const at = headAt(event.clientY - canvas.getBoundingClientRect().top, line, heads, layers);
    if (at >= 0) trigger("pin", { head: nthHead(at, heads) });
  });
  const names = element(
    "div.long-names",
    { style: `width:${left}px` },
    ...Array.from({ length: layers }, (_, l) =>
      element("span", { style: `height:${band}px;line-height:${band - GAP}px` }, layerName(l, narrow)),
    ),
  );
  const over = element(
    "div.long-over",
    { style: `padding-left:${left}px` },
    element(
      "b",
      { style: `margin-left:${Math.min(token + 4, room - 120)}px` },
      `${header.name}, ${header.token.toLocaleString("en")}`,
    ),
    element("span.code", (tokens - 1).toLocaleString("en")),
  );
  const each = header.cell > 1 ? [`each cell: the largest of ${header.cell} tokens`] : [];
  const absent = header.causal ? [hatchKey(colours, `${header.at ? "before" : "after"} the token: hidden`)] : [];
  root.append(
    over,
    element("div.long-profiles", names, canvas),
    legend(colours, header.top, ...each, ...absent, `framed: ${header.head}`, "click a line to pin its head"),
  );
}
