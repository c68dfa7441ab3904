/** The blocks that are words: sentences, headings, definitions, tables. */

import { middleOf, oneArc, riseOf } from "../lib/arcs.js";
import { drawing } from "../lib/chart.js";
import { byPlace, flowed, LEADING, lineIn, lineNodes, sentenceLine } from "../lib/sentence.js";
import { element, svg } from "../lib/spans.js";
import { said, saidNodes } from "./caption.js";
const [LARGEST, SMALLEST] = [60, 22]; // px of a sentence with a guess over it
const ABOVE = 120; // px for its arc
const ROOM = 40; // px of these for what it says

/** Entries with a name, a sentence and a command. @type {Drawer<"definitions">} */
function definitions({ entries }) {
  const nodes = entries.flatMap(({ name, text, formula }) => [
    element("dt", name),
    element("dd", text, element("code", formula)),
  ]);
  return element("dl", ...nodes);
}

/** The reader's sentence, large; a guess is a dashed arc, or a dashed line where it has no room. @type {Drawer<"guess_text">} */
function guessText({ text, pieces, asked = null, guessed = null, label }, { width, gauge, colours }) {
  const line = guessed === null || asked === null ? null : sentenceLine(pieces, gauge, width, LARGEST, SMALLEST);
  if (line?.fits) {
    const { base, up } = lineIn(ABOVE, line.size);
    const box = byPlace(pieces, line.boxes);
    const [from, to] = [asked, guessed].map((at) => middleOf(box[at]));
    const rise = Math.min(ABOVE - ROOM, riseOf(Math.abs(to - from), width, ABOVE));
    const { path, arrow, label: number } = oneArc({ from, to, ...up, weight: 0.1, rise });
    const picture = drawing(width, ABOVE + line.size * LEADING, label);
    picture.append(
      svg("path.guess-arc", { d: path }),
      svg("path", { d: arrow, fill: "currentColor" }),
      svg("text.guess-name", { x: number.x, y: number.y, "text-anchor": "middle" }, "your guess"),
      ...lineNodes(pieces, line.boxes, { base, size: line.size }, { under: asked }),
    );
    return element("div.line.guess-line", picture);
  }
  const words = guessed === null ? [text] : flowed(pieces, (piece) => guessedWord(piece, guessed));
  return element("p.line.guess-text", { dir: "auto" }, ...words);
}

const guessedWord = ({ at, text }, guessed) =>
  at === guessed ? element("span.guessed", { title: "your guess" }, text) : text;

/** A table in a file that left the page: what Streamlit drew there, and all of it as CSV. @type {Drawer<"rows">} */
function rows({ title, names, numbers, rows: body, note, csv, file }) {
  const kind = (i) => (numbers[i] ? "number" : null);
  const head = element("tr", ...names.map((name, i) => element("th", { scope: "col", class: kind(i) }, name)));
  const lines = body.map((row) =>
    element(
      "tr",
      ...row.map((text, i) => element(i ? "td" : "th", { class: kind(i), ...(i ? {} : { scope: "row" }) }, text)),
    ),
  );
  const table = element(
    "table",
    title && element("caption", title),
    element("thead", head),
    element("tbody", ...lines),
  );
  const link = element(
    "a.rows-file",
    { download: file, href: `data:text/csv;charset=utf-8,${encodeURIComponent(csv)}` },
    "This table as CSV",
  );
  return [
    element("div.scroll-x", { tabindex: "0", role: "region", "aria-label": title || "A table" }, table),
    element("p", note, note && csv ? " " : "", csv && link),
  ];
}

export const TEXT_DRAWERS = {
  said,
  guess_text: guessText,
  definitions,
  rows,
  /** @type {Drawer<"heading">} */
  heading: (block) => element(block.level ?? "h2", ...saidNodes(block.spans)),
};
