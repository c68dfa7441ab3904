/** Arcs that start at one word, nested so that none crosses another, and which words a small sentence can show. Pure. */

import { FAINTEST_ARC, px } from "../lib/arcs.js";

const NUMBERED = 0.2; // from here on an arc that is not the strongest has its number
const CURVE = 4 / 3; // how high a cubic's control points stand over the arc it draws
const NAME_ROOM = 440; // px that a head's name takes, with what is said beside it
const GAP = 2; // px between two arcs where they start

/** Sizes of the arcs of the large sentence: px of 100 %, height of the longest, px that count as long, arrow, type. */
export const LARGE = { widest: 14, rise: 62, least: 260, arrow: 11, type: 16 };
export const SMALL = { widest: 9, rise: 25, least: 150, arrow: 7, type: 13 };
export const SMALLEST = { widest: 8, rise: 15, least: 90, arrow: 5, type: 12 };

/**
 * The arcs from a word to the words it looks at, weakest first. At the word they start side by side, the one to the
 * farthest word nearest the middle.
 * @param {{q: number, k: number, weight: number}[]} links @param {{x: number, width: number}[]} boxes by position
 * @param {{y: number, up: boolean, named?: number | null}} place edge of the words; a word whose arc always has its number
 */
export function outwardArcs(links, boxes, { y, up, named = null }, { widest, rise, least, arrow, type }) {
  const shown = links.filter(({ q, k, weight }) => q !== k && weight >= FAINTEST_ARC && boxes[k] && boxes[q]);
  if (!shown.length) return [];
  const sign = up ? -1 : 1;
  const middle = (at) => boxes[at].x + boxes[at].width / 2;
  const thick = ({ weight }) => Math.max(1, weight * widest);
  const starts = startPlaces(shown, middle(shown[0].q), thick);
  const longest = Math.max(least, ...shown.map(({ q, k }) => Math.abs(middle(k) - middle(q))));
  const most = Math.max(...shown.map(({ weight }) => weight));
  return shown
    .map((link) => {
      const [from, to, width] = [starts.get(link), middle(link.k), thick(link)];
      const height = rise * (0.4 + 0.6 * Math.min(1, Math.abs(to - from) / longest));
      const [tip, half] = [y + sign * arrow, Math.max(4, width * 0.8)];
      const strongest = link.weight === most;
      return {
        link,
        width,
        opacity: strongest ? 1 : Math.min(0.75, 0.25 + (0.5 * link.weight) / most),
        path: `M${px(from)},${px(y)} C${px(from)},${px(y + sign * height * CURVE)} ${px(to)},${px(y + sign * height * CURVE)} ${px(to)},${px(tip)}`,
        arrow: `M${px(to - half)},${px(tip)} h${px(2 * half)} l${px(-half)},${px(-sign * arrow)} Z`,
        label: label({ strongest, numbered: link.weight >= NUMBERED || link.k === named, from, to, y, sign, height, width, half, type }),
      };
    })
    .sort((a, b) => a.link.weight - b.link.weight);
}

/** The number of the strongest stands over its arc, that of another left of its arrow. */
function label({ strongest, numbered, from, to, y, sign, height, width, half, type }) {
  if (strongest) return { x: (from + to) / 2, y: y + sign * (height + width / 2 + (sign < 0 ? 5 : type * 0.95)), anchor: "middle", strong: true };
  return numbered ? { x: to - half - 5, y: y + (sign < 0 ? -4 : type * 0.8), anchor: "end", strong: false } : null;
}

/** Where each arc leaves the word: to the left of the middle those that go left, the nearest word's outermost. */
function startPlaces(links, middle, thick) {
  const left = links.filter(({ q, k }) => k < q).sort((a, b) => b.k - a.k);
  const right = links.filter(({ q, k }) => k > q).sort((a, b) => a.k - b.k);
  const places = new Map();
  for (const [side, sign, other] of [[left, -1, right], [right, 1, left]]) {
    const room = side.reduce((total, link) => total + thick(link) + GAP, 0);
    let x = middle + sign * (other.length ? GAP + room : room / 2);
    for (const link of side) {
      places.set(link, x - (sign * thick(link)) / 2);
      x -= sign * (thick(link) + GAP);
    }
  }
  return places;
}

/** Where the name of a head stands free of its arcs: on the left, but for a number there. */
export function freeSide(shapes) {
  return shapes.some(({ label }) => label?.strong && label.x < NAME_ROOM) ? "right" : "left";
}

/**
 * The pieces of a sentence that fit a width at a size, as ranges [first, behind the last]: one that has all that must be
 * seen, or, where these stand too far apart, one around each end of it.
 * @param {number[]} widths in px @param {number[]} gaps in px before each piece @param {number[]} must places that are to be seen
 * @param {number} apart px between two ranges
 */
export function visiblePieces(widths, gaps, room, must, apart = 0) {
  const total = ([from, to]) => widths.slice(from, to).reduce((sum, width, i) => sum + width + (i ? gaps[from + i] : 0), 0);
  const [low, high] = [Math.min(...must), Math.max(...must)];
  const together = low === high || total([low, high + 1]) <= room;
  const ranges = together ? [[low, high + 1]] : [[low, low + 1], [high, high + 1]];
  const left = together ? room : room - apart;
  const fits = (place, range) => ranges.reduce((sum, other, i) => sum + total(i === place ? range : other), 0) <= left;
  for (let grown = true; grown; ) {
    grown = false;
    ranges.forEach(([first, end], place) => {
      const [floor, top] = [place ? ranges[0][1] : 0, place === ranges.length - 1 ? widths.length : ranges[1][0]];
      if (end < top && fits(place, [first, end + 1])) [ranges[place], grown] = [[first, end + 1], true];
      const [from, to] = ranges[place];
      if (from > floor && fits(place, [from - 1, to])) [ranges[place], grown] = [[from - 1, to], true];
    });
  }
  return ranges;
}
