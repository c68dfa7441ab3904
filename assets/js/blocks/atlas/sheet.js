/** The sheet of a head: its habit, its place among all, its strongest looks, what it carries, what may not be said. */

import { arcPath, middleOf } from "../../lib/arcs.js";
import { box, dot, drawing, fixed, level, scale, upright, wholePercent, written } from "../../lib/chart.js";
import { rampAt } from "../../lib/colour.js";
import { arcInk, arcNodes, byPlace, flowed, lineBoxes, lineNodes, lineSize, tint } from "../../lib/sentence.js";
import { element, put, spanNodes } from "../../lib/spans.js";
/** @import { SheetLook } from "../../blocks.d.ts" */

const [LARGEST, SMALLEST] = [20, 16]; // px of the sentences
const FIGURES = 96; // px right of a sentence
const BROUGHT = 44; // px more, where it is told what looks bring
const THICK = 7; // px of an arc for 100 %
const RISE = 38; // px over a sentence for its arc
const GAP = 0.27; // of the size, between words

/** @type {Drawer<"sheet_habit">} */
function habit(block, { colours, width }) {
  const drawn = block.bars.filter(([step]) => step);
  const top = Math.max(0.1, ...drawn.map(([, share]) => share)) * 1.15;
  const [wide, high] = [Math.min(width, 400) / block.bars.length, 150];
  const picture = drawing(wide * block.bars.length, high + 44, block.label);
  const paint = arcInk(colours);
  block.bars.forEach(([step, share], i) => {
    const [x, middle, y] = [i * wide, (i + 0.5) * wide, high - (high * share) / top];
    const text = fixed(step, 0, "+");
    const column = [
      box(x + 2, y, wide - 4, Math.max(0.5, high - y), paint),
      written(middle, y - 6, Math.round(share * 100), "code middle", 14),
    ];
    picture.append(...(step ? column : [written(middle, high - 6, "word", "serif italic middle", 15)]));
    picture.append(written(middle, high + 20, text, "code muted-ink middle", 12.5));
  });
  picture.append(level(high + 0.5, 0, wide * block.bars.length, colours.control_border));
  return picture;
}

/** @type {Drawer<"sheet_place">} */
function strips(block, { colours, width, narrow }) {
  const named = block.strips.some((one) => one.title);
  const left = named ? (narrow ? 134 : 150) : 8;
  const right = named ? width - (narrow ? 112 : 170) : width - 30;
  const [height, line] = [26, narrow && named ? 40 : 30];
  const picture = drawing(width, block.strips.length * line + (block.ends.length ? 24 : 6), block.label);
  const X = scale(left, right, 0, 1);
  const inside = (value) => X(Math.min(1, value));
  block.strips.forEach((one, i) => {
    const y = i * line + height / 2;
    const texts = [
      written(right + (narrow ? 80 : 92), y + 5, one.text, "code end", narrow ? 12 : 14),
      written(width, y + 5, narrow ? one.rank.split(" ")[0] : one.rank, "muted-ink end"),
    ];
    const range = { "stroke-width": 9, "stroke-opacity": 0.3 };
    put(
      picture,
      written(0, y + 5, one.title, "", narrow ? 13 : 14),
      level(y + 8.5, left, right, colours.border),
      ...one.others.map((other) => upright(inside(other), y - 6, y + 6, colours.aside, { "stroke-opacity": 0.8 })),
      one.low !== null && one.high !== null && level(y, X(one.low), inside(one.high), colours.text, range),
      dot(inside(one.own), y, 5, colours.text, colours.background, 1.5),
      named && texts,
    );
  });
  block.ends.forEach((text, i) =>
    picture.append(written(i ? right : left, height + 14, text, i ? "muted-ink end" : "muted-ink", 12)),
  );
  return picture;
}

/** Where the words of a sentence stand on one line of a size. */
const boxesOf = (pieces, size, gauge) =>
  lineBoxes(
    pieces.map(({ text }) => gauge(text)),
    pieces.map(({ space }) => (space ? GAP : 0)),
    size,
  );

const told = (look) => look.brought !== null && look.brought !== undefined;

/** @type {Drawer<"sheet_looks">} */
function looks(block, { colours, width, gauge }) {
  const columns = width >= 820 ? 2 : 1;
  const column = (width - (columns - 1) * 40) / columns;
  const ends = block.looks.map(({ pieces }) => boxesOf(pieces, 1, gauge).at(-1)).map(({ x, width }) => x + width);
  const room = column - FIGURES - (block.looks.some(told) ? BROUGHT : 0);
  const size = lineSize([Math.max(...ends)], [0], room, LARGEST, SMALLEST);
  const rows = block.looks.map((look) =>
    element(
      "li",
      { "aria-label": look.label },
      size && width > 640 ? arched(look, size, column, gauge, colours) : tinted(look, colours),
    ),
  );
  return element(columns === 2 ? "ol.sheet-looks.two" : "ol.sheet-looks", rows);
}

/** @param {SheetLook} look */
function arched(look, size, column, gauge, colours) {
  const { pieces } = look;
  const y = RISE + 20;
  const boxes = boxesOf(pieces, size, gauge);
  const places = byPlace(pieces, boxes);
  const [from, to] = [look.query, look.key].map((at) => middleOf(places[at]));
  const width = Math.max(1, look.weight * THICK);
  const rise = Math.min(30, 12 + Math.abs(to - from) * 0.12);
  const path = arcPath({ from, to, y: RISE, up: true, arrow: Math.max(3.2, width * 0.95), rise });
  return drawing(
    column,
    RISE + 34,
    look.label,
    lineNodes(pieces, boxes, { base: y, size }, { muted: ({ at }) => at !== look.query && at !== look.key }),
    arcNodes([{ ...path, width, opacity: 1, link: look }], arcInk(colours)),
    told(look) && written(column - 44 - BROUGHT, y, wholePercent(look.brought), "muted-ink end"),
    written(column - 44, y, wholePercent(look.habit), "muted-ink end"),
    written(column, y, wholePercent(look.weight), "bold end", 15),
  );
}

/** @param {SheetLook} look */
function tinted(look, colours) {
  const words = flowed(look.pieces, ({ at, text }) => {
    if (at === look.query) return element("span.looking", text);
    if (at !== look.key) return text;
    const node = element("span.looked", text);
    tint(node, rampAt(colours.ramp, look.weight), colours);
    return node;
  });
  const figures = element(
    "span.sheet-figures",
    told(look) && [element("span", wholePercent(look.brought)), "\u2002"],
    element("span", wholePercent(look.habit)),
    " ",
    element("b", wholePercent(look.weight)),
  );
  return element("div.sheet-line", element("span.sheet-words", words), figures);
}

/** @type {Drawer<"sheet_not">} */
function nots(block) {
  return element("ul", ...block.lines.map((line) => element("li", ...spanNodes(line))));
}

export const SHEET_DRAWERS = {
  sheet_habit: habit,
  sheet_place: strips,
  sheet_looks: looks,
  sheet_not: nots,
};
