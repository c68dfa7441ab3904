/** Where heads look from the pivot: the strongest looks at each partner on the sentence, A above it, B below. */

import { element, svg } from "../lib/spans.js";
import { directionOf, sentenceLine } from "../lib/layout.js";
import { arcNodes, canvas, fromTo, label, letterChip, wholePercent } from "./draw.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const ABOVE = 132; // px for the arcs to A
const BELOW = 104; // and to B
const WIDEST = 14; // px of an arc of 100 %
const STAND = 1.25;

/** @type {Drawer<"looks">} */
function looks(place, block, tools) {
  const line = sentenceLine(block.pieces, tools.gauge, Math.min(tools.width, 1000), 52, 15);
  if (tools.narrow || !line.fits) return place.append(lookBars(block, tools));
  place.append(lookArcs(block, line, tools));
}

/** @param {Blocks["looks"]} block */
function lookArcs(block, { size, boxes }, { colours, width }) {
  const picture = canvas(width, ABOVE + size * 1.2 + BELOW, block.label);
  const box = new Map(block.pieces.map((piece, i) => [piece.at, boxes[i]]));
  const middle = (at) => box.get(at).x + box.get(at).width / 2;
  const base = ABOVE + size * 0.82;
  for (const side of ["a", "b"]) for (const at of block[side]) picture.append(svg("rect", { x: box.get(at).x - 4, y: ABOVE + 4, width: box.get(at).width + 8, height: size * 1.12, rx: 4, fill: colours[side].wash }));
  for (const side of ["a", "b"]) nested(picture, block, side, middle, side === "a" ? ABOVE : base + size * 0.34, colours);
  block.pieces.forEach((piece, i) => picture.append(label(boxes[i].x, base, piece.text, { "font-size": size, class: piece.at === null ? "serif muted-ink" : "serif" })));
  picture.append(svg("rect", { x: box.get(block.pivot).x, y: base + size * 0.17, width: box.get(block.pivot).width, height: 3, fill: "currentColor" }));
  return picture;
}

/** Both looks of one side, the stronger outside. @param {Blocks["looks"]} block */
function nested(picture, block, side, middle, y, colours) {
  const drawn = block.looks.filter((look) => look.side === side);
  const up = side === "a";
  const widths = drawn.map(({ share }) => Math.max(1, WIDEST * share));
  const total = widths.reduce((sum, w) => sum + w, 0) + 5 * (drawn.length - 1);
  const sign = middle(drawn[0].at) > middle(block.pivot) ? 1 : -1;
  let from = middle(block.pivot) - (sign * total) / 2;
  let to = middle(drawn[0].at) + sign * (total / 2 + 2);
  const texts = []; // above every arc
  drawn.forEach(({ name, share }, i) => {
    const w = widths[i];
    const [x1, x2] = [from + (sign * w) / 2, to - (sign * w) / 2];
    from += sign * (w + 5);
    to -= sign * (w + 7);
    const arrow = Math.max(4, w * 0.8);
    const rise = (up ? 96 : 66) - i * 38;
    picture.append(...arcNodes({ from: x1, to: x2, y, up, arrow, rise, foot: 1, stand: STAND }, w, colours[side].graphic));
    const foot = y + (up ? -1 : 1) * arrow * STAND;
    const text = label((x1 + x2) / 2, foot + (up ? -1 : 1) * (rise + w / 2) + (up ? -5 : 16), "", { "text-anchor": "middle", "font-size": 15, class: "halo" });
    text.append(svg("tspan", { class: "code", "font-size": 13.5 }, `${name} `), svg("tspan", { "font-weight": 600 }, wholePercent(share)));
    texts.push(text);
  });
  picture.append(...texts);
}

/** On a phone, or in a long sentence: bars in the place of arcs. @param {Blocks["looks"]} block */
function lookBars(block, { colours }) {
  const said = element("div", { class: "story-said", dir: directionOf(block.pieces) });
  block.pieces.forEach((piece, i) => {
    if (piece.space && i) said.append(" ");
    const side = block.a.includes(piece.at) ? "a" : block.b.includes(piece.at) ? "b" : null;
    const style = side ? `background:${colours[side].wash}` : piece.at === block.pivot ? "box-shadow:inset 0 -2px currentColor" : "";
    said.append(element("span", { style }, piece.text));
  });
  const bars = element("div", { class: "bars" });
  for (const { name, share, side } of block.looks)
    bars.append(element("span", {}, letterChip(side.toUpperCase()), ` ${name} `, fromTo(block.pieces, block.pivot, block[side])), element("i", { style: `width:${Math.round(share * 100)}%;background:${colours[side].graphic}` }), element("span", {}, wholePercent(share)));
  return element("div", { role: "img", "aria-label": block.label }, said, bars);
}

export const LOOKS_DRAWERS = { looks };
