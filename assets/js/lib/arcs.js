/** Arcs from the looking word to the looked-at word: which ones, and their geometry. Pure. */

export const FAINTEST_ARC = 0.06;
const MOST_ARCS = 9;
export const WIDEST = 14; // px of an arc of 100 %
const STEEPEST = 0.3; // of its span, how high an arc may rise
const ARROW_ROOM = 5;
const ARROW_GAP = 3;
const STAND = 1.3; // of an arrow's size, how far from the words an ellipse stands

/**
 * The links to draw, strongest first: those to the locked word, or the nine strongest.
 * @param {{q: number, k: number, weight: number}[]} links
 */
export function arcLinks(links, lock) {
  const candidates = links.filter(({ q, k, weight }) => q !== k && weight >= FAINTEST_ARC && (lock === null || k === lock));
  candidates.sort((a, b) => b.weight - a.weight);
  return lock === null ? candidates.slice(0, MOST_ARCS) : candidates;
}

/**
 * Half-ellipses with arrow heads, weakest first so that strong ones lie on top. At a word that is looked at, ends stand
 * side by side in the order that lets arcs nest instead of cross.
 * @param {{q: number, k: number, weight: number}[]} links @param {{x: number, width: number}[]} boxes of the words, by position
 * @param {{y: number, rise: number, up: boolean}} place edge of the words, height of the widest arc, direction
 */
export function arcShapes(links, boxes, { y, rise, up }) {
  const sign = up ? -1 : 1;
  const middle = (position) => boxes[position].x + boxes[position].width / 2;
  const span = ({ q, k }) => Math.abs(middle(q) - middle(k));
  const widest = Math.max(1, ...links.map(span));
  const strongest = links.reduce((best, link) => (best === null || link.weight > best.weight ? link : best), null);
  const ends = arrowPlaces(links, middle, span);
  const drawn = links
    .map((link, i) => {
      const width = Math.max(1, link.weight * WIDEST);
      const height = Math.min(rise, STEEPEST * widest) * (span(link) / widest) ** 0.62;
      return { link, start: middle(link.q), end: ends[i], width, arrow: arrowSize(link.weight, width), height };
    })
    .sort((a, b) => a.link.weight - b.link.weight);
  return drawn.map(({ link, start, end, width, arrow, height }) => {
    const x = (start + end) / 2;
    return {
      link,
      width,
      opacity: link === strongest ? 1 : fainter(link.weight),
      ...arcPath({ from: start, to: end, y, up, arrow, rise: height }),
      label: link === strongest ? { x, y: y + sign * Math.max(...drawn.map((arc) => reach(arc, x))) } : null,
    };
  });
}

/** How far from the words an arc reaches over a place, with half its width; a number beyond all arcs crosses none. */
function reach({ start, end, width, arrow, height }, x) {
  const aside = (2 * x - start - end) / (end - start || 1);
  return Math.abs(aside) > 1 ? 0 : arrow * STAND + height * Math.sqrt(1 - aside * aside) + width / 2;
}

/** Where each arc ends: beside the others at the same word; nearest from the left first, then from the far right in. */
function arrowPlaces(links, middle, span) {
  const ends = new Array(links.length);
  for (const key of new Set(links.map((link) => link.k))) {
    const here = links.map((link, i) => ({ link, i })).filter(({ link }) => link.k === key);
    const left = here.filter(({ link }) => middle(link.q) < middle(key)).sort((a, b) => span(a.link) - span(b.link));
    const right = here.filter(({ link }) => middle(link.q) >= middle(key)).sort((a, b) => span(b.link) - span(a.link));
    const order = [...left, ...right];
    sideBySide(order.map(({ link }) => link.weight), middle(key)).forEach((x, at) => (ends[order[at].i] = x));
  }
  return ends;
}

/**
 * A half-ellipse on two feet and its arrow head, as SVG paths.
 * @param {{from: number, to: number, y: number, up: boolean, arrow: number, rise: number, foot?: number, stand?: number}} arc
 * edge of the words, direction, half the arrow's width, height over where it stands; px between words and the first foot
 */
export function arcPath({ from, to, y, up, arrow, rise, foot = 3, stand = STAND }) {
  const sign = up ? -1 : 1;
  const base = y + sign * arrow * stand;
  const sweep = to > from === up ? 1 : 0;
  return {
    path: `M${px(from)},${px(y + sign * foot)} V${px(base)} A${px(Math.abs(to - from) / 2)},${px(rise)} 0 0 ${sweep} ${px(to)},${px(base)}`,
    arrow: `M${px(to - arrow)},${px(base - sign * 0.5)} L${px(to)},${px(y)} L${px(to + arrow)},${px(base - sign * 0.5)} Z`,
  };
}

/** Half the width of an arrow head. */
export function arrowSize(weight, width) {
  return Math.max(weight < 0.2 ? 3.2 : 4.5, width * 0.95);
}

/** How opaque an arc is that is not the strongest. */
export function fainter(weight) {
  return Math.max(0.28, 0.25 + weight * 0.5);
}

/** Where arcs of these weights end at one word, in their order, around its middle. */
export function sideBySide(weights, middle) {
  const rooms = weights.map((weight) => Math.max(weight * WIDEST, ARROW_ROOM));
  let x = middle - rooms.reduce((total, room) => total + room + ARROW_GAP, -ARROW_GAP) / 2;
  return rooms.map((room) => {
    x += room + ARROW_GAP;
    return x - ARROW_GAP - room / 2;
  });
}

export function px(value) {
  return Math.round(value * 100) / 100;
}
