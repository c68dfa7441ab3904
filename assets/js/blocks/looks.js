/** Where heads look from the pivot: the strongest looks at each partner on the sentence, A above it, B below. */

import { middleOf, nestedArcs } from "../lib/arcs.js";
import {
  arcNodes,
  byPlace,
  directionOf,
  flowed,
  lineIn,
  lineNodes,
  sentenceLine,
  shareBar,
  unnumbered,
} from "../lib/sentence.js";
import { element, svg } from "../lib/spans.js";
import { box, dot, drawing, part, wholePercent, written } from "../lib/chart.js";
import { letterChip } from "./caption.js";

const ABOVE = 132; // px for the arcs to A
const BELOW = 104; // and to B
const NARROWEST = 210; // px between the feet of an arc whose numbers have room

/** @type {Drawer<"looks">} */
export function looks(block, tools) {
  const line = sentenceLine(block.pieces, tools.gauge, Math.min(tools.width, 1000), 52, 15);
  if (tools.narrow || !line.fits) return lookBars(block, tools);
  return lookArcs(block, line, tools);
}

/** The ground of a word that is a candidate: of A, of B, or none. */
export const washOf = (block, colours) => (at) =>
  block.a.includes(at) ? colours.a.wash : block.b.includes(at) ? colours.b.wash : undefined;

/** @param {Blocks["looks"]} block */
function lookArcs(block, { size, boxes }, { colours, width }) {
  const places = byPlace(block.pieces, boxes);
  const { base, up, down } = lineIn(ABOVE, size);
  const sides = ["a", "b"].filter((side) => block[side].length);
  const nested = sides.flatMap((side) => looksOf(block, side, places, side === "a" ? up : down, colours, width));
  const cue = block.cue !== undefined && block.cue !== block.pivot ? block.cue : null;
  const marks = { wash: washOf(block, colours), under: block.pivot, dots: cue };
  return drawing(
    width,
    ABOVE + size * 1.2 + BELOW,
    block.label,
    lineNodes(block.pieces, boxes, { base, size }, marks, nested),
    sides.map((side) => letterOn(places[block[side][0]], side, side === "a" ? ABOVE + 2 : ABOVE + 6 + size * 1.12)),
    cue !== null && places[cue] && written(middleOf(places[cue]), ABOVE - 4, "decides", "middle muted-ink halo", 14),
  );
}

/** The letter of a reading on its first word, so that a grey print tells them apart: A above it, B below. */
function letterOn({ x }, side, y) {
  const fill = `var(--${side}-text)`;
  return svg(
    "g",
    { "aria-hidden": "true" },
    side === "a" ? dot(x + 2, y, 9, fill) : box(x - 7, y - 9, 18, 18, fill, { rx: 3 }),
    written(x + 2, y + 4.5, side.toUpperCase(), "middle bold", 12, { style: "fill: var(--background)" }),
  );
}

/**
 * The looks at each word of one side, the stronger outside, with what is said of each head.
 * @param {Blocks["looks"]} block
 */
function looksOf(block, side, places, { y, up }, colours, width) {
  const drawn = block.looks.filter((look) => look.side === side);
  const from = middleOf(places[block.pivot]);
  const feet = block[side].map((at) => middleOf(places[at]));
  const arcs = (to, weights) => nestedArcs(weights, from, to, { y, up, rise: up ? 96 : 66, step: 38 });
  const given = feet.map((_, word) => drawn.map(({ parts }) => parts[word]));
  // of one word each look has its arc, at which it is told, be it of nothing
  const shapes = feet.flatMap((to, word) =>
    arcs(to, feet.length > 1 ? given[word].filter((part) => part > 0) : given[word]),
  );
  const right = Math.max(from, ...feet);
  const start = right + NARROWEST < width;
  const beside = (feet.length > 1 || Math.abs(feet[0] - from) < NARROWEST) && {
    x: start ? right + 24 : Math.min(from, ...feet) - 24,
    y: y + (up ? -78 : 26),
    anchor: start ? "start" : "end",
  };
  return [...arcNodes(unnumbered(shapes), colours[side].graphic), ...arcTexts(drawn, shapes, beside)];
}

/**
 * What is said of arcs inside each other: a head, its share, what is usual; over each, or in a column beside them.
 * @param {{name: string, share: number, usual?: number}[]} looks @param {{x: number, y: number, anchor: string} | false} beside
 */
function arcTexts(looks, shapes, beside) {
  return looks.map(({ name, share, usual }, i) => {
    const { x, y, anchor } = beside ? { ...beside, y: beside.y + i * 22 } : shapes[i].label;
    const usually = usual === undefined ? [] : [part(`  ${usualText(usual)}`, "muted-ink", 14)];
    const said = [part(`${name} `, "code", 13.5), part(wholePercent(share), "bold"), ...usually];
    return written(x, y, said, "halo", 15, { "text-anchor": anchor });
  });
}

/** What the head gives at this distance on average; below rounding it is no zero. */
export function usualText(usual) {
  return usual < 0.005 ? "usually less than 1\u00a0%" : `usually ${wholePercent(usual)}`;
}

/** @param {Blocks["looks"]} block */
function word({ pieces }, places) {
  const texts = places.map((at) => pieces.find((piece) => piece.at === at)?.text ?? "");
  return element("span.say-word", texts.join(" and "));
}

/** On a phone, or in a long sentence: bars in the place of arcs. @param {Blocks["looks"]} block */
function lookBars(block, { colours }) {
  const wash = washOf(block, colours);
  const words = flowed(block.pieces, ({ at, text }) =>
    element(
      "span",
      { style: wash(at) ? `background:${wash(at)}` : at === block.pivot ? "box-shadow:inset 0 -2px currentColor" : "" },
      text,
    ),
  );
  const bars = element("div.bars.usual-bars");
  for (const { name, share, side, usual } of block.looks) {
    const numbers = element(
      "span",
      element("b", wholePercent(share)),
      usual !== undefined && element("span.muted", ` ${usualText(usual)}`),
    );
    bars.append(
      element("span", letterChip(side.toUpperCase()), " ", word(block, block[side]), ` ${name}`),
      numbers,
      shareBar(Math.round(share * 100), usual && Math.round(usual * 100), { side }),
    );
  }
  return element(
    "div",
    { role: "img", "aria-label": block.label },
    element("div.story-said.sentence", { dir: directionOf(block.pieces) }, ...words),
    bars,
  );
}
