/** The component "crossing": a source above, the target below, straight lines for what one head looks at. */

import { middleOf } from "../lib/arcs.js";
import { css, rampAt } from "../lib/colour.js";
import { stepAlong } from "../lib/keyboard.js";
import { measured } from "../lib/sentence.js";
import { element, percentText, refill, spanNodes, styled, svg } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { rowFits, rowPlaces, shownLines } from "./alignment.js";

const TALL = 150; // px between source and target
const ROW = 34; // px of a word under another
const LOW_ROW = 24; // where there are more than so many:
const MOST_ROWS = 24;
const MOST_WORDS = 16; // a side, with all lines
const TONE = 0.72;
const MARKED =
  "display:inline-block;max-width:100%;overflow:hidden;text-overflow:ellipsis;vertical-align:top;" +
  "box-shadow:inset 0 -3px var(--st-text-color)"; // as writing.css marks a chosen word

export default function createCrossing(parent, tokens) {
  const root = element("div.parallax.writing.crossing");
  const gauge = element("div.gauge", { "aria-hidden": "true" });
  const chip = element("div.writing-chip");
  const picture = element("div.alignment");
  const finding = element("h1.finding", { "aria-live": "polite" });
  const about = element("p.note");
  root.append(gauge, chip, picture, finding, about);
  parent.append(root);
  let [spec, shares, widths, lock] = [null, null, null, null];
  const piece = (text) => element("span.piece", text);
  function measure() {
    const all = measured(gauge, [...spec.sources, ...spec.targets].map(piece)).widths;
    widths = [all.slice(0, spec.sources.length), all.slice(spec.sources.length)];
  }
  const look = standing(root, tokens, { fonts: ['400 20px "Source Serif"'], draw: drawAll, measure });

  function drawAll() {
    root.classList.toggle("large", spec.large);
    refill(
      chip,
      element("span.disc", "1"),
      element("span.say-head", spec.head),
      spec.chosen && element("span.badge", spec.say.chosen),
      element("span.key", `${spec.say.scale}. ${spec.say.locked}`),
    );
    const many = spec.sources.length > MOST_WORDS || spec.targets.length > MOST_WORDS;
    const lines = shownLines(shares, spec.sources.length, lock).filter(({ row }) => !many || row === lock);
    const had = picture.getRootNode().activeElement?.dataset?.row;
    const fits = widths.every((row) => rowFits(row, look.width));
    if (look.narrow() || !fits) drawColumns(lines);
    else drawRows(lines);
    if (had !== undefined) picture.querySelector(`[data-row="${had}"]`)?.focus();
    finding.replaceChildren(...spanNodes(lock === null ? spec.finding : spec.findings[lock]));
    about.replaceChildren(...spanNodes(spec.about));
  }

  const source = (at) => element("span.source", spec.sources[at]);

  function target(row, said = spec.targets[row]) {
    return element(
      "button",
      {
        class: `target${row === lock ? " locked" : ""}`,
        "data-row": row,
        "aria-pressed": row === lock,
        tabindex: row === (lock ?? 0) ? 0 : -1,
      },
      said,
    );
  }

  function line({ x0, y0, x1, y1 }, { share, locked, strongest }) {
    const weight = share / 100;
    const tone = strongest ? 0.85 : TONE;
    const colour = css(rampAt(look.colours.ramp, locked ? tone : 0.15 + 0.5 * weight));
    const ends = { x1: x0, y1: y0, x2: x1, y2: y1 };
    const shaft = svg("line", { ...ends, stroke: colour, "stroke-width": Math.max(0.75, weight * 9) });
    if (!locked || !strongest) return [shaft];
    const length = Math.hypot(x1 - x0, y1 - y0) || 1;
    const [ux, uy] = [((x1 - x0) / length) * 9, ((y1 - y0) / length) * 9];
    const d = `M${x1 + ux},${y1 + uy} L${x1 - uy},${y1 + ux} L${x1 + uy},${y1 - ux} Z`;
    return [shaft, svg("path", { d, fill: colour })];
  }

  /** The lines with the numbers of the locked word's over them, and the words. */
  function drawPicture(kind, height, lines, { endsOf, numberAt, before = null, words }) {
    const numbers = lines
      .filter(({ locked }) => locked)
      .map((one) => svg("text.arc-label", numberAt(one), percentText(one.share)));
    const marks = lines.flatMap((one) => line(endsOf(one), one));
    const drawn = svg("svg", { role: "img", "aria-label": spec.say.label }, marks, numbers);
    picture.className = kind;
    picture.style.height = `${height}px`;
    refill(picture, element("span.side-name", { style: "top:0" }, spec.say.source), before, drawn, words);
  }

  function drawRows(lines) {
    const size = Math.min(...widths.map((row) => rowPlaces(row, look.width, spec.large).size));
    const [above, below] = widths.map(
      (row, side) => rowPlaces(row, look.width, spec.large, size, spec.rtl[side]).boxes,
    );
    const [first, second] = [26 + size * 1.35, 26 + size * 1.35 + TALL];
    const endsOf = ({ row, key }) => ({
      x0: middleOf(below[row]),
      y0: second - 2,
      x1: middleOf(above[key]),
      y1: first + 12,
    });
    const numberAt = (one) => {
      const { x0, x1 } = endsOf(one);
      const [aside, anchor] = x1 >= x0 ? [12, "start"] : [-12, "end"];
      return { x: x0 + (x1 - x0) * 0.62 + aside, y: second + (first - second) * 0.62, "text-anchor": anchor };
    };
    const place = (node, { x, width }, y) =>
      styled(node, `left:${x}px;width:${width}px;top:${y}px;font-size:${size}px`);
    const words = [
      above.map((box, at) => place(source(at), box, 22)),
      below.map((box, row) => place(target(row), box, second + 2)),
      element("span.side-name", { style: `top:${second + size * 1.4 + 8}px` }, spec.say.target),
    ];
    drawPicture("alignment", second + size * 1.4 + 30, lines, { endsOf, numberAt, words });
  }

  /** On a phone, and where a row has no room for its words: source down the left, target down the right. */
  function drawColumns(lines) {
    const [left, right] = [0.36 * look.width, 0.64 * look.width];
    const most = Math.max(spec.sources.length, spec.targets.length);
    const tall = most > MOST_ROWS ? LOW_ROW : ROW;
    const low = tall === ROW ? "" : `;line-height:${tall}px;font-size:16px`;
    const at = (i) => 30 + tall * i + tall / 2;
    const endsOf = ({ row, key }) => ({ x0: right - 4, y0: at(row), x1: left + 14, y1: at(key) });
    const numberAt = ({ key }) => ({ x: left + 22, y: at(key) - 8 });
    const place = (node, i, across) => styled(node, `top:${30 + tall * i}px;${across}${low}`);
    // A finger may press anywhere in the line of a word, whose own width the mark of a chosen one has.
    const marked = (row) => styled(element("span", spec.targets[row]), row === lock ? MARKED : "");
    const pressed = `left:${right}px;width:${look.width - right}px;box-shadow:none`;
    const words = [
      spec.sources.map((_, i) => place(source(i), i, `width:${left}px`)),
      spec.targets.map((_, row) => place(target(row, marked(row)), row, pressed)),
    ];
    const before = element("span.side-name", { style: `top:0;left:${right}px` }, spec.say.output);
    drawPicture("alignment columns", 30 + tall * most, lines, { endsOf, numberAt, before, words });
  }

  look.listen(
    "click",
    (event) => {
      const row = event.target.closest("[data-row]")?.dataset.row;
      if (row === undefined) return;
      lock = Number(row) === lock ? null : Number(row);
      look.redraw();
      look.trigger("locked", { position: lock });
    },
    picture,
  );
  look.listen("keydown", (event) => stepAlong(picture, "[data-row]", event), picture);

  return {
    update(data, setTriggerValue, setStateValue) {
      [spec, shares] = [data.header, data.arrays.shares.data];
      lock = spec.lock;
      measure();
      look.update(setTriggerValue, setStateValue);
    },
    close: look.close,
  };
}
