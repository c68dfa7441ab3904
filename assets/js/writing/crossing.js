/** The component "crossing": a source above, the target below, straight lines for what one head looks at. */

import { css, rampAt } from "../lib/colour.js";
import { openEnvelope } from "../lib/envelope.js";
import { measured } from "../lib/sentence.js";
import { element, percentText, spanNodes, svg } from "../lib/spans.js";
import { standing } from "../lib/standing.js";
import { rowFits, rowPlaces, shownLines } from "./alignment.js";
/** @import { Tell } from "../drawers.d.ts" */

const TALL = 150; // px between source and target
const ROW = 34; // px of a word under another
const LOW_ROW = 24; // where there are more than so many:
const MOST_ROWS = 24;
const MOST_WORDS = 16; // a side, with all lines
const TONE = 0.72;

export default function createCrossing(parent, tokens) {
  const root = element("div", { class: "parallax writing crossing" });
  const gauge = element("div", { class: "gauge", "aria-hidden": "true" });
  const chip = element("div", { class: "writing-chip" });
  const picture = element("div", { class: "alignment" });
  const finding = element("h1", { class: "finding", "aria-live": "polite" });
  const about = element("p", { class: "note" });
  root.append(gauge, chip, picture, finding, about);
  parent.append(root);
  let [spec, shares, widths, lock] = [null, null, null, null];
  /** @type {Tell} */
  let trigger = () => {};
  const measure = () =>
    (widths = measured(
      gauge,
      [...spec.sources, ...spec.targets].map((text) => element("span", { class: "piece" }, text)),
    ).widths);
  const look = standing(root, tokens, { fonts: ['400 20px "Source Serif"'], draw: drawAll, measure });

  function drawAll() {
    root.classList.toggle("large", spec.large);
    chip.replaceChildren(
      element("span", { class: "disc" }, "1"),
      element("span", { class: "say-head" }, spec.head),
      ...(spec.chosen ? [element("span", { class: "badge" }, spec.say.chosen)] : []),
      element("span", { class: "key" }, `${spec.say.scale}. ${spec.say.locked}`),
    );
    const many = spec.sources.length > MOST_WORDS || spec.targets.length > MOST_WORDS;
    const lines = shownLines(shares, spec.sources.length, lock).filter(({ row }) => !many || row === lock);
    const had = picture.getRootNode().activeElement?.dataset?.row;
    const fits = [widths.slice(0, spec.sources.length), widths.slice(spec.sources.length)].every((row) =>
      rowFits(row, look.width),
    );
    if (look.narrow() || !fits) drawColumns(lines);
    else drawRows(lines);
    if (had !== undefined) picture.querySelector(`[data-row="${had}"]`)?.focus();
    finding.replaceChildren(...spanNodes(lock === null ? spec.finding : spec.findings[lock]));
    about.replaceChildren(...spanNodes(spec.about));
  }

  function target(row) {
    return element(
      "button",
      {
        type: "button",
        class: `target${row === lock ? " locked" : ""}`,
        "data-row": row,
        "aria-pressed": row === lock,
        tabindex: row === (lock ?? 0) ? 0 : -1,
      },
      spec.targets[row],
    );
  }

  function line({ x0, y0, x1, y1 }, { share, locked, strongest }, arrow) {
    const weight = share / 100;
    const colour = css(rampAt(look.colours.ramp, locked ? (strongest ? 0.85 : TONE) : 0.15 + 0.5 * weight));
    const parts = [
      svg("line", { x1: x0, y1: y0, x2: x1, y2: y1, stroke: colour, "stroke-width": Math.max(0.75, weight * 9) }),
    ];
    if (arrow && locked && strongest) {
      const [dx, dy] = [x1 - x0, y1 - y0];
      const length = Math.hypot(dx, dy) || 1;
      const [ux, uy] = [dx / length, dy / length];
      parts.push(
        svg("path", {
          d: `M${x1 + ux * 9},${y1 + uy * 9} L${x1 - uy * 9},${y1 + ux * 9} L${x1 + uy * 9},${y1 - ux * 9} Z`,
          fill: colour,
        }),
      );
    }
    return parts;
  }

  function drawRows(lines) {
    const [top, bottom] = [
      rowPlaces(widths.slice(0, spec.sources.length), look.width, spec.large),
      rowPlaces(widths.slice(spec.sources.length), look.width, spec.large),
    ];
    const size = Math.min(top.size, bottom.size);
    const places = [
      rowPlaces(widths.slice(0, spec.sources.length), look.width, spec.large, size, spec.rtl[0]).boxes,
      rowPlaces(widths.slice(spec.sources.length), look.width, spec.large, size, spec.rtl[1]).boxes,
    ];
    const [first, second] = [26 + size * 1.35, 26 + size * 1.35 + TALL];
    picture.className = "alignment";
    picture.style.height = `${second + size * 1.4 + 30}px`;
    const middle = ({ x, width: wide }) => x + wide / 2;
    const drawn = svg("svg", { role: "img", "aria-label": spec.say.label });
    const numbers = [];
    for (const one of lines) {
      const [x0, x1] = [middle(places[1][one.row]), middle(places[0][one.key])];
      drawn.append(...line({ x0, y0: second - 2, x1, y1: first + 12 }, one, true));
      if (one.locked)
        numbers.push(
          svg(
            "text",
            {
              x: x0 + (x1 - x0) * 0.62 + (x1 >= x0 ? 12 : -12),
              y: second + (first - second) * 0.62,
              class: "arc-label",
              "text-anchor": x1 >= x0 ? "start" : "end",
            },
            percentText(one.share),
          ),
        );
    }
    drawn.append(...numbers);
    const source = spec.sources.map((text, at) =>
      place(element("span", { class: "source" }, text), places[0][at], 22, size),
    );
    const below = spec.targets.map((_, row) => place(target(row), places[1][row], second + 2, size));
    picture.replaceChildren(
      element("span", { class: "side-name", style: "top:0" }, spec.say.source),
      drawn,
      ...source,
      ...below,
      element("span", { class: "side-name", style: `top:${second + size * 1.4 + 8}px` }, spec.say.target),
    );
  }

  function place(node, { x, width: wide }, y, size) {
    node.style.cssText = `left:${x}px;width:${wide}px;top:${y}px;font-size:${size}px`;
    return node;
  }

  /** On a phone, and where a row has no room for its words: source down the left, target down the right. */
  function drawColumns(lines) {
    const [left, right] = [0.36 * look.width, 0.64 * look.width];
    const most = Math.max(spec.sources.length, spec.targets.length);
    const tall = most > MOST_ROWS ? LOW_ROW : ROW;
    const low = tall === ROW ? "" : `;line-height:${tall}px;font-size:16px`;
    const height = 30 + tall * most;
    const at = (i) => 30 + tall * i + tall / 2;
    picture.className = "alignment columns";
    picture.style.height = `${height}px`;
    const drawn = svg("svg", { role: "img", "aria-label": spec.say.label });
    const numbers = [];
    for (const one of lines) {
      drawn.append(...line({ x0: right - 4, y0: at(one.row), x1: left + 14, y1: at(one.key) }, one, true));
      if (one.locked)
        numbers.push(svg("text", { x: left + 22, y: at(one.key) - 8, class: "arc-label" }, percentText(one.share)));
    }
    drawn.append(...numbers);
    const source = spec.sources.map((text, i) => {
      const node = element("span", { class: "source" }, text);
      node.style.cssText = `top:${30 + tall * i}px;width:${left}px${low}`;
      return node;
    });
    const below = spec.targets.map((_, row) => {
      const node = target(row);
      node.style.cssText = `top:${30 + tall * row}px;left:${right}px;width:${look.width - right}px${low}`;
      return node;
    });
    picture.replaceChildren(
      element("span", { class: "side-name", style: "top:0" }, spec.say.source),
      element("span", { class: "side-name", style: `top:0;left:${right}px` }, spec.say.output),
      drawn,
      ...source,
      ...below,
    );
  }

  look.listen(
    "click",
    (event) => {
      const row = event.target.closest("[data-row]")?.dataset.row;
      if (row === undefined) return;
      lock = Number(row) === lock ? null : Number(row);
      look.redraw();
      trigger("locked", { position: lock });
    },
    picture,
  );
  look.listen(
    "keydown",
    (event) => {
      const by = { ArrowLeft: -1, ArrowUp: -1, ArrowRight: 1, ArrowDown: 1 }[event.key];
      const words = [...picture.querySelectorAll("[data-row]")];
      const next = words[words.indexOf(event.target) + by];
      if (!next) return;
      event.preventDefault();
      next.focus();
    },
    picture,
  );

  return {
    update(data, setTriggerValue, setStateValue) {
      const opened = openEnvelope(data);
      [spec, shares] = [opened.header, opened.arrays.shares.data];
      [trigger, lock] = [setTriggerValue, spec.lock];
      measure();
      look.update(setStateValue);
    },
    close: look.close,
  };
}
