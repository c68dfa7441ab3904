/** Words on one line by their score, and under it, on the same scale, how far the score moves where the reading stays. */

import {
  box,
  dot,
  drawing,
  frame,
  level,
  part,
  piled,
  readingMark,
  ruler,
  scale,
  signedNumber,
  stroked,
  tickStep,
  ticks,
  upright,
  written,
} from "../lib/chart.js";
import { put, svg } from "../lib/spans.js";

const TYPED = [0.84, 0.8]; // where the typed word stands, on a desk and on a phone; mirrored where the score rises
const LINE = 92; // px, where the line stands
const CLOSE = [150, 140]; // px between two words of a side under which their names are set apart
const LETTER = 8.2; // px of a letter of what is said over a gap, about
const BRACKET = 90; // px of a gap that has room for what is said over it
const DOT = [6, 4]; // px between dots

/** The scale of the line: the typed word at its place, so that the other one lies on the longer side. */
export function lineScale(marks, span, width, narrow) {
  const [typed, other] = marks;
  const at = TYPED[narrow ? 1 : 0];
  const place = other.score <= typed.score ? at : 1 - at;
  const wide = span[narrow ? 1 : 0];
  return scale(0, width, typed.score - place * wide, typed.score + (1 - place) * wide);
}

/** @type {Drawer<"score_line">} */
export function scoreLine(block, { colours, width, narrow, gauge, legend }) {
  const [typed, other] = block.marks;
  const sheet = { X: lineScale(block.marks, block.span, width, narrow), colours, width, narrow, gauge };
  const floored = block.sizes !== undefined && block.sizes !== null;
  const axis = LINE + (narrow ? 192 : 204);
  const picture = drawing(width, floored ? axis + 46 : LINE + 70, block.label);
  const towards = other.score <= typed.score ? -1 : 1;
  if (floored) {
    const [from, to] = [sheet.X(typed.score), sheet.X(typed.score + towards * block.floor)].sort((a, b) => a - b);
    picture.append(box(from, LINE, to - from, axis - LINE, colours.changed));
  }
  put(
    picture,
    level(LINE, 0, width, colours.control_border, { "stroke-width": 1.5 }),
    endLabel("b", block, sheet),
    endLabel("a", block, sheet),
    floored && movement(block, axis, towards, sheet, legend),
    ...sides(block, sheet),
    block.order && order(block, sheet),
  );
  return picture;
}

/** @param {Blocks["score_line"]} block */
function endLabel(side, block, { colours, width, narrow }) {
  const name = `${narrow ? "" : "towards "}${block.ends[side]}`;
  const letter = part(side.toUpperCase(), "bold", null, { style: `fill:${colours[side].text}` });
  const size = narrow ? 13 : 14;
  if (side === "b") return written(0, LINE - 12, ["\u2190 ", letter, ` ${name}`], "muted-ink halo", size);
  return written(width, LINE - 12, [letter, ` ${name} \u2192`], "muted-ink halo end", size);
}

/**
 * A round above the line, B square below; the typed pair larger. Words nobody has taken a side for stand above.
 * @param {Blocks["score_line"]} block
 */
function sides(block, { X, colours, width, narrow, gauge }) {
  const grey = block.grey || !block.marks[0].side;
  return ["a", "b", ""].flatMap((side) => {
    const marks = block.marks.filter((mark) => (mark.side || "") === side);
    const below = side === "b";
    const sign = below ? 1 : -1;
    const paint = grey ? colours.muted : colours[below ? "b" : "a"].graphic;
    const xs = marks.map(({ score }) => X(score));
    const names = nameBoxes(marks, xs, width, narrow, gauge);
    const joined = `M${Math.min(...xs)},${LINE} V${LINE + sign * 15} H${Math.max(...xs)} V${LINE}`;
    const nodes = marks.flatMap((mark, i) => {
      const number = part(signedNumber(mark.score), "code upright muted-ink", narrow ? 12 : 13, { dx: 7 });
      const look = { fill: paint, stroke: colours.background, "stroke-width": 1.5 };
      const height = LINE + sign * (below ? 44 : 30);
      return [
        readingMark(xs[i], LINE, mark.first ? 8 : 6, !below, look),
        written(names[i].x, height, [part(mark.word), number], "serif halo italic", names[i].size),
      ];
    });
    return marks.length > 1 && side ? [stroked(joined, paint, 2), ...nodes] : nodes;
  });
}

/** Where the names of one side begin: over their marks, set apart where they would touch, inside the picture. */
export function nameBoxes(marks, xs, width, narrow, gauge) {
  const sizes = marks.map(({ first }) => (first ? (narrow ? 19 : 24) : narrow ? 16 : 19));
  const widths = marks.map(({ word }, i) => gauge(word) * sizes[i] + (narrow ? 52 : 56));
  const inside = (x, i) => Math.max(0, Math.min(width - widths[i], x));
  const left = xs.map((x, i) => inside(x - widths[i] / 2, i));
  if (
    marks.length === 2 &&
    Math.abs(xs[0] - xs[1]) < Math.max(CLOSE[narrow ? 1 : 0], (widths[0] + widths[1]) / 2 + 8)
  ) {
    const right = xs[0] >= xs[1] ? 0 : 1;
    left[right] = inside(xs[right] - 10, right);
    left[1 - right] = Math.max(
      0,
      Math.min(xs[1 - right] + 10 - widths[1 - right], left[right] - 8 - widths[1 - right]),
    );
    if (left[1 - right] + widths[1 - right] + 8 > left[right]) left[right] = left[1 - right] + widths[1 - right] + 8;
  }
  return left.map((x, i) => ({ x, size: sizes[i], width: widths[i] }));
}

/** Whether words fit over a gap between two marks, and beside the names that stand at their height. */
export function fitsOver(words, from, to, names) {
  const wide = LETTER * words.length;
  const [left, right] = [(from + to - wide) / 2, (from + to + wide) / 2];
  return to - from >= Math.max(BRACKET, wide) && names.every(({ x, width }) => x > right || x + width < left);
}

/**
 * What is said of the order of four words, over the gap between both readings or round the overlap.
 * @param {Blocks["score_line"]} block
 */
function order(block, { X, width, narrow, gauge }) {
  if (!block.marks[0].side || !block.marks[1].side) return [];
  const of = (side) => block.marks.filter((mark) => mark.side === side).map(({ score }) => X(score));
  const [left, right] = [of("b"), of("a")].sort((one, two) => Math.min(...one) - Math.min(...two));
  const text = (x, y, look) => written(x, y, block.order, `bold halo ${look}`, narrow ? 14 : 16);
  if (Math.max(...left) < Math.min(...right)) {
    const [from, to] = [Math.max(...left) + 14, Math.min(...right) - 13];
    const above = block.marks.filter(({ side }) => side === "a");
    const names = nameBoxes(above, of("a"), width, narrow, gauge);
    if (narrow || !fitsOver(block.order, from, to, names)) return [text(0, 20, "")];
    const y = LINE - 13;
    return [
      stroked(`M${from},${y} H${to} M${from},${y - 5} v10 M${to},${y - 5} v10`, "currentColor", 1.25),
      text((from + to) / 2, y - 9, "middle"),
    ];
  }
  const [low, high] = [Math.min(...of("a")), Math.max(...of("b"))].sort((one, two) => one - two);
  const round = frame(low - 11, LINE - 11, high - low + 22, 22, "currentColor", 1.5, {
    rx: 11,
    "stroke-dasharray": "4 3",
  });
  return [round, text(0, 20, "")];
}

/**
 * The lower tier: the changes that keep the reading as dots from the typed word on, and the move as an arrow.
 * @param {Blocks["score_line"]} block
 */
function movement(block, axis, towards, { X, colours, width, narrow }, legend) {
  const [typed, other] = block.marks;
  const moved = (size) => X(typed.score + towards * size);
  const [from, to] = [moved(0), X(other.score)];
  const room = towards < 0 ? from : width - from;
  const [pitch, radius] = narrow ? [4, 1.6] : [4.6, 2];
  const dots = piled(block.sizes, moved, DOT[narrow ? 1 : 0]).map(({ x, row, value }) =>
    dot(x, axis - 4 - row * pitch, radius, value > block.floor ? colours.muted : colours.aside),
  );
  const reach = Math.abs(room / (X(1) - X(0)));
  const values = ticks(0, reach, tickStep(reach, narrow ? 3 : 4)).filter(
    (value) => Math.abs(moved(value) - from) < room - 8,
  );
  const below = [legend.axis, part(typed.word, "serif italic")];
  const around = (narrow ? legend.around_short : legend.around).split("\n");
  const [aside, above, leading] = narrow ? [6, 22, 14] : [12, 30, 18];
  return [
    upright(from, LINE + 10, axis, colours.control_border, { "stroke-dasharray": "2 3" }),
    upright(to, LINE + 56, axis, "currentColor", { "stroke-width": 1.25 }),
    ...dots,
    level(axis, from, moved(values.at(-1)), colours.control_border),
    ...ruler(moved, values, (value) => value.toFixed(2), [axis, axis + 5], axis + 19, colours),
    written(from, axis + 38, below, towards < 0 ? "muted-ink end" : "muted-ink"),
    ...arrow(block, from, to, axis - (narrow ? 84 : 88), X, width, colours, narrow),
    ...around.map((line, i) =>
      written(from - towards * aside, axis - above + i * leading, line, towards < 0 ? "" : "end", narrow ? 12 : 14),
    ),
  ];
}

/** Where a number of letters stands beside an arrow: past its tip, or over it where it is long or nothing fits beyond. */
export function besideArrow(from, to, edge, width, letters, narrow) {
  const left = to <= from; // where the arrow points to
  const room = letters * (narrow ? 6.4 : 7.1);
  const beyond = left ? Math.min(to, edge) - 10 : Math.max(to, edge) + 10;
  if (Math.abs(from - to) <= (narrow ? 180 : 300) && (left ? beyond >= room : beyond + room <= width))
    return { x: beyond, above: false, start: !left };
  return { x: left ? Math.min(to + 14, width - room) : Math.max(to - 14, room), above: true, start: left };
}

/** @param {Blocks["score_line"]} block */
function arrow(block, from, to, y, X, width, colours, narrow) {
  const paint = block.beyond ? "currentColor" : colours.muted;
  const size = block.beyond ? 9 : 5;
  const sign = to <= from ? 1 : -1; // of the arrow head's back
  const shaft = stroked(`M${from},${y} H${to + sign * (size - 1)}`, paint, block.beyond ? 2.5 : 2);
  const tip = svg("path", { d: `M${to},${y} l${sign * size},${-size * 0.6} v${size * 1.2} Z`, fill: paint });
  const edge = X(block.marks[0].score - sign * block.floor);
  const { x, above, start } = besideArrow(from, to, edge, width, 6 + block.further.length, narrow);
  const far = Math.abs(block.marks[0].score - block.marks[1].score).toFixed(2);
  const said = [part(far, "bold"), part(block.further, "", null, { dx: 6 })];
  const text = written(x, above ? y - 10 : y + 5, said, start ? "halo" : "halo end", narrow ? 13.5 : 15);
  return [...(Math.abs(to - from) > 1 ? [shaft, tip] : []), text];
}
