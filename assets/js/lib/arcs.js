/** Arcs from the looking word to the looked-at word: which ones, and the geometry of each kind. Pure. */

export const FAINTEST_ARC = 0.06;
const MOST_ARCS = 9;
export const WIDEST = 14; // px of an arc of 100 %
const ARROW_ROOM = 5;
const ARROW_GAP = 3;
const STAND = 1.3; // of an arrow's size, how far from the words an ellipse stands
const FOOT = 3; // px between words and the first foot of an ellipse
const BESIDE = 0.45; // how opaque an arc is beside that of a reading
const NUMBER_GAP = { up: -7, down: 19 }; // px from an arc's edge to the line that its number stands on

/**
 * @typedef {{q: number, k: number, weight: number, cut?: boolean, head?: number}} Link a look: the word that looks, the one that is looked at, its share
 * @typedef {{x: number, width: number}} Box of a word, in px
 * @typedef {{x: number, y: number, anchor: string, strong: boolean}} Place of a number
 */

/**
 * The links to draw, strongest first: those to the locked word, or the nine strongest.
 * @param {Link[]} links
 */
export function arcLinks(links, lock) {
  const candidates = links.filter(
    ({ q, k, weight }) => q !== k && weight >= FAINTEST_ARC && (lock === null || k === lock),
  );
  candidates.sort((a, b) => b.weight - a.weight);
  return lock === null ? candidates.slice(0, MOST_ARCS) : candidates;
}

/** The middle of a word. @param {Box} box */
export const middleOf = ({ x, width }) => x + width / 2;

/**
 * One half-ellipse over two places, and where its number stands beyond it.
 * @param {{from: number, to: number, y: number, up?: boolean, weight: number, rise: number, widest?: number, least?: number}} arc
 * `y` is the edge of the words; px of 100 % and px at least
 */
export function oneArc({ from, to, y, up = true, weight, rise, widest = WIDEST, least = 1 }) {
  const width = Math.max(least, weight * widest);
  const arrow = arrowSize(weight, width);
  const top = y + (up ? -1 : 1) * (arrow * STAND + rise + width / 2);
  const label = { x: (from + to) / 2, y: top + NUMBER_GAP[up ? "up" : "down"], anchor: "middle", strong: true };
  return {
    link: { weight },
    width,
    opacity: 1,
    tip: { x: to, y },
    ...arcPath({ from, to, y, up, arrow, rise }),
    label,
  };
}

/**
 * Arcs of a head as they are: the one that it was picked for in the colour of its reading and with the usual share; all
 * others pale, for a share that belongs to no reading has no reading's colour, but as thick as their share.
 */
export function forSide(shapes, { side, look }) {
  const named = ({ link }) => Boolean(look) && link.q === look[0] && link.k === look[1];
  const usually = look?.[3] ?? null;
  if (!side)
    return shapes.map((shape) =>
      named(shape) && shape.label?.strong ? { ...shape, label: { ...shape.label, usually } } : shape,
    );
  return shapes
    .map((shape) => {
      if (named(shape))
        return { ...shape, side, opacity: 1, label: shape.label && { ...shape.label, strong: true, usually } };
      return { ...shape, opacity: BESIDE, label: null };
    })
    .sort((a, b) => Number(Boolean(a.side)) - Number(Boolean(b.side)));
}

/** Where each arc ends: beside the others at the same word; nearest from the left first, then from the far right in. */
function arrowPlaces(links, middle, span) {
  const ends = new Array(links.length);
  for (const key of new Set(links.map((link) => link.k))) {
    const here = links.map((link, i) => ({ link, i })).filter(({ link }) => link.k === key);
    const left = here.filter(({ link }) => middle(link.q) < middle(key)).sort((a, b) => span(a.link) - span(b.link));
    const right = here.filter(({ link }) => middle(link.q) >= middle(key)).sort((a, b) => span(b.link) - span(a.link));
    const order = [...left, ...right];
    sideBySide(
      order.map(({ link }) => link.weight),
      middle(key),
    ).forEach((x, at) => (ends[order[at].i] = x));
  }
  return ends;
}

/**
 * A half-ellipse on two feet and its arrow head, as SVG paths.
 * @param {{from: number, to: number, y: number, up: boolean, arrow: number, rise: number}} arc
 * edge of the words, direction, half the arrow's width, height over where it stands
 */
function arcPath({ from, to, y, up, arrow, rise }) {
  const sign = up ? -1 : 1;
  const base = y + sign * arrow * STAND;
  const sweep = to > from === up ? 1 : 0;
  return {
    path: `M${px(from)},${px(y + sign * FOOT)} V${px(base)} A${px(Math.abs(to - from) / 2)},${px(rise)} 0 0 ${sweep} ${px(to)},${px(base)}`,
    arrow: `M${px(to - arrow)},${px(base - sign * 0.5)} L${px(to)},${px(y)} L${px(to + arrow)},${px(base - sign * 0.5)} Z`,
  };
}

/** Half the width of an arrow head. */
export function arrowSize(weight, width) {
  return Math.max(weight < 0.2 ? 3.2 : 4.5, width * 0.95);
}

/** Where arcs of these weights end at one word, in their order, around its middle. */
function sideBySide(weights, middle) {
  const rooms = weights.map((weight) => Math.max(weight * WIDEST, ARROW_ROOM));
  let x = middle - rooms.reduce((total, room) => total + room + ARROW_GAP, -ARROW_GAP) / 2;
  return rooms.map((room) => (x += room + ARROW_GAP) - ARROW_GAP - room / 2);
}

const NESTED = { starts: 5, ends: 9 }; // px between two arcs of one pair of words

/**
 * Half-ellipses between the same two words, each inside the one before.
 * @param {number[]} weights @param {number} from @param {number} to middles of the words
 * @param {{y: number, up: boolean, rise: number, step: number}} place height of the first, px by which the next is lower
 */
export function nestedArcs(weights, from, to, { y, up, rise, step }) {
  const total = weights.reduce((sum, weight) => sum + Math.max(1, weight * WIDEST) + NESTED.starts, -NESTED.starts);
  const sign = to > from ? 1 : -1;
  let start = from - (sign * total) / 2;
  let end = to + sign * (total / 2 + (weights.length * (NESTED.ends - NESTED.starts)) / 2);
  return weights.map((weight, i) => {
    const width = Math.max(1, weight * WIDEST);
    const arc = oneArc({
      from: start + (sign * width) / 2,
      to: end - (sign * width) / 2,
      y,
      up,
      weight,
      rise: rise - i * step,
    });
    start += sign * (width + NESTED.starts);
    end -= sign * (width + NESTED.ends);
    return arc;
  });
}

const HIGHEST = 62; // px of the longest arc
const LONG = 260; // px that count as long
const ARROW = 11; // px of an arrow head
const TYPE = 16; // px of a number
const NUMBERED = 0.2; // from here on an arc that is not the strongest has its number
const CURVE = 4 / 3; // how high a cubic's control points stand over the arc it draws
const NAME_ROOM = 440; // px that a head's name takes, with what is said beside it
const GAP = 2; // px between two arcs where they start
const CUT = 0.6; // how opaque a cut arc is
const LEFT = 0.34; // of a cut arc at each end, as a share of its parameter; of a short one half as much
const SHORT = 220; // px

/**
 * The arcs of looks, weakest first. At a word that looks they start side by side, the one to the farthest word nearest
 * the middle; at one that is looked at they end side by side.
 * @param {Link[]} links @param {Box[]} boxes by position
 * @param {{y: number, up: boolean, named?: number[] | null, rise?: number, least?: number, faintest?: number}} place edge of
 * the words; a look whose arc always has its number; px of the longest arc, and px that count as long; share of the faintest
 */
export function arcShapes(links, boxes, place) {
  const { y, up, named = null, rise = HIGHEST, least = LONG, faintest = FAINTEST_ARC } = place;
  const shown = links.filter(({ q, k, weight }) => q !== k && weight >= faintest && boxes[k] && boxes[q]);
  if (!shown.length) return [];
  const sign = up ? -1 : 1;
  const middle = (at) => middleOf(boxes[at]);
  const thick = ({ weight }) => Math.max(1, weight * WIDEST);
  const span = ({ q, k }) => Math.abs(middle(k) - middle(q));
  const starts = startPlaces(shown, middle, thick);
  const ends = arrowPlaces(shown, middle, span);
  const longest = Math.max(least, ...shown.map(span));
  const heightOf = (link) => rise * (0.4 + 0.6 * Math.min(1, span(link) / longest));
  const highest = Math.max(...shown.map(heightOf));
  const most = Math.max(0.01, ...shown.filter(({ cut }) => !cut).map(({ weight }) => weight));

  /** The number of the strongest stands over its arc, or over all at its word; that of a cut one in its gap, that of another left of its arrow. @returns {Place | null} */
  function numberOf(link, from, to, half) {
    const isAlone = shown.filter(({ k }) => k === link.k).length === 1; // else numbers would lie on each other
    const height = isAlone ? heightOf(link) : highest;
    const top = { x: (from + to) / 2, anchor: "middle", strong: true };
    if (link.cut) return { ...top, y: y + sign * height + TYPE / 3 };
    if (link.weight === most) return { ...top, y: y + sign * (height + thick(link) / 2 + (up ? 5 : TYPE * 0.95)) };
    const isNamed = link.q === named?.[0] && link.k === named[1];
    if (!isNamed && (!isAlone || link.weight < NUMBERED)) return null;
    return { x: to - half - 5, y: y + (up ? -4 : TYPE * 0.8), anchor: "end", strong: false };
  }

  return shown
    .map((link, i) => {
      const [from, to, width] = [starts.get(link), ends[i], thick(link)];
      const [tip, half] = [y + sign * ARROW, Math.max(4, width * 0.8)];
      const top = y + sign * heightOf(link) * CURVE;
      const weaker = link.cut ? CUT : Math.min(0.75, 0.25 + (0.5 * link.weight) / most);
      return {
        link,
        width,
        tip: { x: to, y: tip },
        curve: /** @type {Point[]} */ ([
          [from, y],
          [from, top],
          [to, top],
          [to, tip],
        ]),
        opacity: !link.cut && link.weight === most ? 1 : weaker,
        path: `M${px(from)},${px(y)} C${px(from)},${px(top)} ${px(to)},${px(top)} ${px(to)},${px(tip)}`,
        arrow: `M${px(to - half)},${px(tip)} h${px(2 * half)} l${px(-half)},${px(-sign * ARROW)} Z`,
        label: numberOf(link, from, to, half),
      };
    })
    .sort((a, b) => a.link.weight - b.link.weight);
}

/** @typedef {[number, number]} Point in px */

/**
 * The outer parts of a cubic curve as an SVG path, without its middle (de Casteljau), which has room for a number.
 * @param {Point[]} curve its four points
 */
export function brokenArc(curve) {
  const left = Math.abs(curve[3][0] - curve[0][0]) < SHORT ? LEFT / 2 : LEFT;
  const parts = [curve, [...curve].reverse()].map((points) => {
    const kept = [points[0]];
    let level = points;
    while (level.length > 1) {
      level = level
        .slice(1)
        .map(([x, y], i) => [level[i][0] + (x - level[i][0]) * left, level[i][1] + (y - level[i][1]) * left]);
      kept.push(level[0]);
    }
    const [start, ...others] = kept.map(([x, y]) => `${px(x)},${px(y)}`);
    return `M${start} C${others.join(" ")}`;
  });
  return parts.join(" ");
}

/** Where each arc leaves its word: to the left of the middle those that go left, the nearest word's outermost. */
function startPlaces(links, middle, thick) {
  const places = new Map();
  for (const query of new Set(links.map(({ q }) => q))) {
    const here = links.filter(({ q }) => q === query);
    const left = here.filter(({ q, k }) => k < q).sort((a, b) => b.k - a.k);
    const right = here.filter(({ q, k }) => k > q).sort((a, b) => a.k - b.k);
    for (const [side, sign, other] of [
      [left, -1, right],
      [right, 1, left],
    ]) {
      const room = side.reduce((total, link) => total + thick(link) + GAP, 0);
      let x = middle(query) + sign * (other.length ? GAP + room : room / 2);
      for (const link of side) {
        places.set(link, x - (sign * thick(link)) / 2);
        x -= sign * (thick(link) + GAP);
      }
    }
  }
  return places;
}

/** Where the name of a head stands free of its arcs: on the left, but for a number there. */
export function freeSide(shapes) {
  return shapes.some(({ label }) => label?.strong && label.x < NAME_ROOM) ? "right" : "left";
}

export function px(value) {
  return Math.round(value * 100) / 100;
}
