/** Arcs from the looking word to the looked-at word: which ones, and their geometry. Pure. */

export const FAINTEST_ARC = 0.06;
const MOST_ARCS = 9;
const WIDEST = 14; // px of an arc of 100 %
const STEEPEST = 0.3; // of its span, how high an arc may rise
const ARROW_ROOM = 5;
const ARROW_GAP = 3;

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
 * @param {{x: number, width: number}[]} boxes of the words, by position on the axis
 * @param {{y: number, rise: number, up: boolean}} place edge of the words, height of the widest arc, direction
 */
export function arcShapes(links, boxes, { y, rise, up }) {
  const sign = up ? -1 : 1;
  const middle = (position) => boxes[position].x + boxes[position].width / 2;
  const span = ({ q, k }) => Math.abs(middle(q) - middle(k));
  const widest = Math.max(1, ...links.map(span));
  const strongest = links.reduce((best, link) => (best === null || link.weight > best.weight ? link : best), null);
  const ends = arrowPlaces(links, middle, span);
  return links
    .map((link, i) => ({ link, end: ends[i] }))
    .sort((a, b) => a.link.weight - b.link.weight)
    .map(({ link, end }) => {
      const start = middle(link.q);
      const width = Math.max(1, link.weight * WIDEST);
      const arrow = Math.max(link.weight < 0.2 ? 3.2 : 4.5, width * 0.95);
      const base = y + sign * arrow * 1.3; // where the ellipse stands
      const height = Math.min(rise, STEEPEST * widest) * (span(link) / widest) ** 0.62;
      const sweep = end > start === up ? 1 : 0;
      return {
        link,
        width,
        opacity: link === strongest ? 1 : Math.max(0.28, 0.25 + link.weight * 0.5),
        path: `M${px(start)},${px(y + sign * 3)} V${px(base)} A${px(Math.abs(end - start) / 2)},${px(height)} 0 0 ${sweep} ${px(end)},${px(base)}`,
        arrow: `M${px(end - arrow)},${px(base - sign * 0.5)} L${px(end)},${px(y)} L${px(end + arrow)},${px(base - sign * 0.5)} Z`,
        label: link === strongest ? { x: (start + end) / 2, y: base + sign * (height + width / 2) } : null,
      };
    });
}

/** Where each arc ends: beside the others at the same word; nearest from the left first, then from the far right in. */
function arrowPlaces(links, middle, span) {
  const ends = new Array(links.length);
  for (const key of new Set(links.map((link) => link.k))) {
    const here = links.map((link, i) => ({ link, i })).filter(({ link }) => link.k === key);
    const left = here.filter(({ link }) => middle(link.q) < middle(key)).sort((a, b) => span(a.link) - span(b.link));
    const right = here.filter(({ link }) => middle(link.q) >= middle(key)).sort((a, b) => span(b.link) - span(a.link));
    const rooms = [...left, ...right].map(({ link, i }) => ({ i, room: Math.max(link.weight * WIDEST, ARROW_ROOM) }));
    let x = middle(key) - rooms.reduce((total, { room }) => total + room + ARROW_GAP, -ARROW_GAP) / 2;
    for (const { i, room } of rooms) {
      ends[i] = x + room / 2;
      x += room + ARROW_GAP;
    }
  }
  return ends;
}

function px(value) {
  return Math.round(value * 100) / 100;
}
