/** Rows of marks on one axis: the name of each, its marks in their order, and its number at the end or beside them. */

import { bar, dot, level, rowChart, tickStep, ticks, upright, written } from "../lib/chart.js";
import { css } from "../lib/colour.js";
import { put } from "../lib/spans.js";

const MARKS = { dot: 5, open: 5, range: [11, 0.28], grey: [0, 12], tick: [-8, 8, "aside"], line: [0, "text"] };
/**
 * By style: the room that `rowChart` takes, in about how many `steps`; how names look, and numbers at the `end` of a row, or
 * `beside` its marks, so many px away; and which marks differ from the usual ones: radii of dots, thickness and opacity of
 * ranges, where greys, ticks and lines stand, and their thickness or colour.
 */
const STYLES = {
  intervals: {
    room: { left: 64, right: 210, row: 26, below: 30, steps: 8 },
    narrow: { right: 16, steps: 4 }, // there is no room for numbers
    name: ["code", 14],
    end: ["code muted-ink end", 13],
    marks: { dot: 4 },
  },
  effective: {
    room: { left: 76, right: 30, row: 30, below: 30, steps: 6 },
    name: ["", 14],
    beside: ["code", 14, 12],
    marks: { dot: 5.5, line: [0, "control_border"] },
  },
  carried: {
    room: { left: 122, right: 64, row: 46, below: 26, steps: 4 },
    narrow: { left: 108 },
    name: ["", 15],
    end: ["code end", 14],
    marks: { dot: 6.5, open: 6, range: [6, 0.45], grey: [9, 6], tick: [4, 14, "muted"] },
  },
};

/** Where an axis ends of itself: the next tick above the largest share. */
export function axisEnd(largest) {
  const step = tickStep(Math.max(largest, 0.01));
  return Math.min(1, Math.ceil(largest / step + 1e-9) * step) || step;
}

/** The ticks of an axis and how they are written: whole heads from one on, shares of which the last has its sign. */
function ticksOf(unit, high, steps) {
  const step = tickStep(high, steps);
  if (unit === "heads") return { values: ticks(1, high, Math.max(1, Math.round(step))) };
  const values = ticks(0, high, step);
  const last = values.at(-1);
  if (unit === "share")
    return { values, text: (value) => `${Math.round(1000 * value) / 10}${value === last ? "\u00a0%" : ""}` };
  return { values, text: String };
}

/** @type {Drawer<"row_chart">} */
export function charted(block, { colours, width, narrow }) {
  const style = STYLES[block.style];
  const { steps, ...room } = { ...style.room, ...(narrow && style.narrow) };
  const reach = block.rows.flatMap(({ marks }) => marks.map((mark) => mark.to ?? mark.at));
  const high = block.top ?? axisEnd(Math.max(...reach));
  const chart = { label: block.label, width, ...room, count: block.rows.length, high, colours };
  const { picture, X, at } = rowChart({ ...chart, ...ticksOf(block.unit, high, steps) });
  const inside = (value) => X(Math.max(0, Math.min(high, value)));
  const shapes = shapesOf({ ...MARKS, ...style.marks }, inside, width, block.style === "carried", colours);
  block.rows.forEach(({ name, note, bold, marks, number }, i) => {
    const y = at(i);
    const [look, size] = style.name;
    put(
      picture,
      written(0, note ? y + 1 : y + 5, name, bold ? `${look} bold` : look, size),
      note && written(0, y + 17, note, "muted-ink", 12),
      marks.map((mark) => shapes[mark.shape](y, mark)),
      style.end
        ? room.right > 16 && written(width, y + 5, number, style.end[0], style.end[1], { "xml:space": "preserve" })
        : numberBeside(number, marks, y, X, style.beside),
    );
  });
  return picture;
}

/** What draws a mark of each shape at a height. */
function shapesOf(px, X, width, carried, colours) {
  const ink = carried ? css(colours.carried.at(-3)) : colours.text;
  return {
    dot: (y, { at }) => dot(X(at), y, px.dot, ink),
    open: (y, { at }) => dot(X(at), y, px.open, colours.background, ink, 1.5),
    ring: (y, { at }) => dot(X(at), y, px.open, "none", ink, 1.5),
    range: (y, { at, to }) =>
      level(y, X(at), X(to), ink, { "stroke-width": px.range[0], "stroke-opacity": px.range[1] }),
    grey: (y, { at, to }) => bar(X(at), X(to), y + px.grey[0], px.grey[1], colours.border),
    tick: (y, { at }) => upright(X(at), y + px.tick[0], y + px.tick[1], colours[px.tick[2]], { "stroke-width": 1.4 }),
    line: (y, { at, to }) => level(y + px.line[0], X(at), X(to), colours[px.line[1]], { "stroke-width": 1.25 }),
    dashed: (y, { at, name }) => [
      upright(X(at), y - 15, y + 4, colours.text, { "stroke-width": 1.5, "stroke-dasharray": "2 2" }),
      written(Math.min(X(at) + 4, width - 50), y - 10, name, "code muted-ink", 12),
    ],
    said: (y, { at, name }) => written(X(at) + 6, y + 5, name, "muted-ink"),
  };
}

/** A number right of the marks. */
function numberBeside(number, marks, y, X, [look, size, gap]) {
  const ends = marks.map(({ at }) => X(at) + gap);
  return written(Math.max(...ends), y + 5, number, look, size);
}
