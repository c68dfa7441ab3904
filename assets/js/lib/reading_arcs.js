/** Attention from an ambiguous word to its candidates: arcs to A above the text and to B below it, else bars. */

import { middleOf, nestedArcs } from "./arcs.js";
import { part, wholePercent, written } from "./chart.js";
import { arcNodes, shareBar } from "./sentence.js";
import { element, svg } from "./spans.js";

const ROOM = { a: 130, b: 124 }; // px for the arcs
const RISE = { a: 94, b: 88 }; // px of the outermost arc
const STEP = 44; // px by which the next arc is lower
const NARROWEST = 230; // px between the feet of an arc that has room for its label
const LINE = 22; // px of a line of labels beside arcs

/**
 * @typedef {{head: string, side: "a" | "b" | "", key: number, share: number, usual?: number | null}} ReadingArc `key` is the number
 *   of the word that is looked at
 */

/** The usual share in words; below rounding it is no zero. */
export const usualText = (usual) => `usually ${shareText(usual || 1e-4)}`;

/** A share in whole per cents; a small one is no zero, and a large one not all. @param {number} share */
export function shareText(share) {
  if (0 < share && share < 0.005) return "<1\u00a0%";
  return 0.995 < share && share < 1 ? ">99\u00a0%" : wholePercent(share);
}

/**
 * The arcs of one side as a picture.
 * @param {ReadingArc[]} arcs of this side, the strongest first @param {"a" | "b"} side
 * @param {{x: number, width: number}} from the box of the ambiguous word
 * @param {(key: number) => {x: number, width: number}} boxOf a word by its number
 */
export function readingArcs(arcs, side, from, boxOf, width, colours) {
  const up = side === "a";
  const place = { y: up ? ROOM.a : 0, up };
  const start = middleOf(from);
  const keys = [...new Set(arcs.map(({ key }) => key))];
  const nested = keys.flatMap((key) => {
    const here = arcs.filter((arc) => arc.key === key);
    const step = Math.min(STEP, RISE[side] / here.length);
    const weights = here.map(({ share }) => share);
    const shapes = nestedArcs(weights, start, middleOf(boxOf(key)), { ...place, rise: RISE[side], step });
    return here.map((arc, i) => ({ arc, shape: shapes[i] }));
  });
  const beside = besideArcs(
    keys.map((key) => middleOf(boxOf(key))),
    start,
    width,
  );
  const labels = nested.map(({ arc, shape }, i) => {
    const { x, y, anchor } = beside ? { ...beside, y: (up ? ROOM.a - 78 : 26) + i * LINE } : shape.label;
    const usual = arc.usual === undefined ? [] : [part(`  ${usualText(arc.usual)}`, "muted-ink", 14)];
    const texts = [part(`${arc.head} `, "code", 14), part(shareText(arc.share), "bold"), ...usual];
    return written(x, y, texts, "halo", 15, { "text-anchor": anchor });
  });
  return svg(
    "svg",
    { width, height: ROOM[side], "aria-hidden": "true" },
    ...arcNodes(
      nested.map(({ shape }) => ({ ...shape, label: null })),
      colours[side].graphic,
    ),
    ...labels,
  );
}

/** Where labels are written beside arcs that are too short for them, or that end at several words; else null. */
export function besideArcs(feet, start, width) {
  if (feet.length === 1 && Math.abs(feet[0] - start) >= NARROWEST) return null;
  const right = Math.max(start, ...feet);
  if (right + NARROWEST < width) return { x: right + 24, anchor: "start" };
  return { x: Math.min(start, ...feet) - 24, anchor: "end" };
}

/** The same as bars, for a text that has several lines. @param {ReadingArc[]} arcs @param {(key: number) => string} wordOf */
export function readingBars(arcs, wordOf) {
  const rows = arcs.flatMap(({ head, side, key, share, usual }) => [
    element(
      "span",
      element("b.letter", { class: side && `of-${side}` }, side.toUpperCase()),
      " ",
      element("i.say-word", wordOf(key)),
      " ",
      element("code", head),
    ),
    element(
      "span",
      element("b", shareText(share)),
      Number.isFinite(usual) && element("span.say-muted", ` ${usualText(usual)}`),
    ),
    shareBar(Math.round(share * 100), usual && Math.round(usual * 100), { side }),
  ]);
  return element("div.reading-bars", ...rows);
}
