/** Where heads look from the pivot: the strongest looks at each partner on the sentence, A above it, B below. */

import { element, svg } from "../lib/spans.js";
import { directionOf, sentenceLine } from "../lib/sentence.js";
import { arcNodes, canvas, cueDots, label, letterChip, wholePercent } from "./draw.js";
/** @import { Blocks } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

const ABOVE = 132; // px for the arcs to A
const BELOW = 104; // and to B
const WIDEST = 14; // px of an arc of 100 %
const STAND = 1.25;
const NARROWEST = 210; // px between the feet of an arc whose numbers have room

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
  for (const side of ["a", "b"]) nested(picture, block, side, middle, side === "a" ? ABOVE : base + size * 0.34, colours, width);
  block.pieces.forEach((piece, i) => picture.append(label(boxes[i].x, base, piece.text, { "font-size": size, class: piece.at === null ? "serif muted-ink" : "serif" })));
  picture.append(svg("rect", { x: box.get(block.pivot).x, y: base + size * 0.17, width: box.get(block.pivot).width, height: 3, fill: "currentColor" }));
  for (const side of ["a", "b"]) if (block[side].length) picture.append(letterOn(box.get(block[side][0]), side, side === "a" ? ABOVE + 2 : ABOVE + 6 + size * 1.12));
  const cue = block.cue !== undefined && block.cue !== block.pivot ? box.get(block.cue) : null;
  if (cue) picture.append(cueDots(cue.x, cue.width, base + size * 0.22, 1.9, 9), label(cue.x + cue.width / 2, ABOVE - 4, "decides", { "text-anchor": "middle", "font-size": 14, class: "muted-ink halo" }));
  return picture;
}

/** The letter of a reading on its first word, so that a grey print tells them apart: A above it, B below. */
function letterOn({ x }, side, y) {
  const shape = side === "a" ? svg("circle", { cx: x + 2, cy: y, r: 9 }) : svg("rect", { x: x - 7, y: y - 9, width: 18, height: 18, rx: 3 });
  shape.setAttribute("fill", `var(--${side}-text)`);
  return svg("g", { "aria-hidden": "true" }, shape, label(x + 2, y + 4.5, side.toUpperCase(), { "text-anchor": "middle", "font-size": 12, "font-weight": 600, style: "fill: var(--background)" }));
}

/** Both looks of one side, the stronger outside. @param {Blocks["looks"]} block */
function nested(picture, block, side, middle, y, colours, width) {
  const drawn = block.looks.filter((look) => look.side === side);
  const up = side === "a";
  const widths = drawn.map(({ share }) => Math.max(1, WIDEST * share));
  const total = widths.reduce((sum, w) => sum + w, 0) + 5 * (drawn.length - 1);
  const sign = middle(drawn[0].at) > middle(block.pivot) ? 1 : -1;
  let from = middle(block.pivot) - (sign * total) / 2;
  let to = middle(drawn[0].at) + sign * (total / 2 + 2);
  const texts = []; // above every arc
  const [left, right] = [Math.min(from, to), Math.max(from, to)];
  const short = right - left < NARROWEST; // no room between the feet
  const anchor = right + NARROWEST < width ? "start" : "end";
  const beside = short ? (anchor === "start" ? right + 18 : left - 18) : null;
  drawn.forEach(({ name, share, usual }, i) => {
    const w = widths[i];
    const [x1, x2] = [from + (sign * w) / 2, to - (sign * w) / 2];
    from += sign * (w + 5);
    to -= sign * (w + 7);
    const arrow = Math.max(4, w * 0.8);
    const rise = (up ? 96 : 66) - i * 38;
    picture.append(...arcNodes({ from: x1, to: x2, y, up, arrow, rise, foot: 1, stand: STAND }, w, colours[side].graphic));
    const foot = y + (up ? -1 : 1) * arrow * STAND;
    const middleY = foot + (up ? -1 : 1) * (rise + w / 2) + (up ? -5 : 16);
    const text = beside === null ? label((x1 + x2) / 2, middleY, "", { "text-anchor": "middle", "font-size": 15, class: "halo" }) : label(beside, y + (up ? -78 : 26) + i * 22, "", { "text-anchor": anchor, "font-size": 15, class: "halo" });
    text.append(svg("tspan", { class: "code", "font-size": 13.5 }, `${name} `), svg("tspan", { "font-weight": 600 }, wholePercent(share)));
    if (usual !== undefined) text.append(svg("tspan", { class: "muted-ink", "font-size": 14 }, `  ${usualText(usual)}`));
    texts.push(text);
  });
  picture.append(...texts);
}

/** What the head gives at this distance on average; below rounding it is no zero. */
export function usualText(usual) {
  return usual < 0.005 ? "usually less than 1\u00a0%" : `usually ${wholePercent(usual)}`;
}

/** @param {Blocks["looks"]} block */
function word({ pieces }, places) {
  const texts = places.map((at) => pieces.find((piece) => piece.at === at)?.text ?? "");
  return element("span", { class: "say-word" }, texts.join(" and "));
}

/** On a phone, or in a long sentence: bars in the place of arcs. @param {Blocks["looks"]} block */
function lookBars(block, { colours }) {
  const said = element("div", { class: "story-said sentence", dir: directionOf(block.pieces) });
  block.pieces.forEach((piece, i) => {
    if (piece.space && i) said.append(" ");
    const side = block.a.includes(piece.at) ? "a" : block.b.includes(piece.at) ? "b" : null;
    const style = side ? `background:${colours[side].wash}` : piece.at === block.pivot ? "box-shadow:inset 0 -2px currentColor" : "";
    said.append(element("span", { style }, piece.text));
  });
  const bars = element("div", { class: "bars usual-bars" });
  for (const { name, share, side, usual } of block.looks) {
    const tick = usual === undefined ? [] : [element("u", { style: `left:${Math.round(usual * 100)}%` })];
    const bar = element("span", { class: "usual-bar" }, element("i", { style: `width:${Math.round(share * 100)}%;background:${colours[side].graphic}` }), ...tick);
    const numbers = element("span", {}, element("b", {}, wholePercent(share)), ...(usual === undefined ? [] : [element("span", { class: "muted" }, ` ${usualText(usual)}`)]));
    bars.append(element("span", {}, letterChip(side.toUpperCase()), " ", word(block, block[side]), ` ${name}`), numbers, bar);
  }
  return element("div", { role: "img", "aria-label": block.label }, said, bars);
}

export const LOOKS_DRAWERS = { looks };
