/** Arcs from one word, the pivot, to the words that each head attends to; and the moment of a training step. Pure. */

import { partOf } from "./envelope.js";
import { WIDEST, arcPath, middleOf, px, sideBySide } from "./arcs.js";

export const FAINTEST = 0.04;
const LABEL_FROM = 0.2;
const RISE = 108; // px of an arc that spans 850 or more
const ROOM = 34; // px of rise from which a number has room inside its arc
const SLOT = 11; // px between the ends at the pivot

/**
 * What the heads of one run look at from the pivot, strongest last.
 * @param {number[][]} looks of the pivot, [head][word], 0 to 1
 */
export function pivotLinks(looks, pivot) {
  return looks
    .flatMap((row, head) => row.map((weight, key) => ({ head, key, weight })))
    .filter(({ key, weight }) => key !== pivot && weight >= FAINTEST)
    .sort((a, b) => a.weight - b.weight);
}

/**
 * Half-ellipses that leave the pivot side by side and end side by side. Only the strongest at a word has its number.
 * @param {{head: number, key: number, weight: number}[]} links @param {{x: number, width: number}[]} boxes of the words
 * @param {number} pivot @param {{y: number, up: boolean}} place edge of the words
 */
export function pivotArcs(links, boxes, pivot, { y, up }) {
  const sign = up ? -1 : 1;
  const middle = (place) => middleOf(boxes[place]);
  const order = [...links].sort((a, b) => a.key - b.key || a.head - b.head);
  const slot = Math.min(SLOT, (boxes[pivot].width - 12) / Math.max(1, order.length));
  const starts = new Map(order.map((link, i) => [link, middle(pivot) + ((order.length - 1) / 2 - i) * slot]));
  const ends = endsAt(order, middle);
  const riseOf = (link) => RISE * Math.min(1, Math.abs(ends.get(link) - starts.get(link)) / 850) ** 1.1;
  const highest = Math.max(...links.map(riseOf));
  return links.map((link) => {
    const [from, to] = [starts.get(link), ends.get(link)];
    const width = Math.max(1, link.weight * WIDEST);
    const arrow = Math.max(4.5, width * 0.95);
    const base = y + sign * arrow * 1.3;
    const rise = riseOf(link);
    const inside = rise < highest && rise > ROOM; // outside, the higher arc would cross the number
    const best = links.findLast(({ key }) => key === link.key) === link;
    const top = base + sign * (rise + ((inside ? -1 : 1) * width) / 2) + (up === inside ? 20 : -8);
    const label =
      best && link.weight >= LABEL_FROM
        ? { x: px((from + to) / 2), y: px(top), inside, anchor: "middle", strong: true }
        : null;
    return { link, width, opacity: 1, ...arcPath({ from, to, y, up, arrow, rise, foot: 2 }), label };
  });
}

function endsAt(links, middle) {
  const ends = new Map();
  for (const key of new Set(links.map((link) => link.key))) {
    const here = links.filter((link) => link.key === key);
    sideBySide(
      here.map(({ weight }) => weight),
      middle(key),
    ).forEach((x, i) => ends.set(here[i], x));
  }
  return ends;
}

/** The moment of a run that is nearest to a training step; runs may be shorter than the one that plays. */
export function momentAt(steps, step) {
  let best = 0;
  steps.forEach((value, i) => (best = Math.abs(value - step) < Math.abs(steps[best] - step) ? i : best));
  return best;
}

/** The attention of one head at one moment: a row of it, or all of it. */
export function rowOf(array, moment, head, query) {
  const [, heads, rows] = array.shape;
  const row = partOf(array, (moment * heads + head) * rows + query, 1);
  return Array.from(row, (value) => value / 255);
}
