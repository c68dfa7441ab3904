/** The sentence: on one line with arcs above and below it, or on several with the words tinted. */

import { BLOCK_LEADING, blockSize, gapsBefore, lineBoxes, lineSize } from "../lib/layout.js";
import { measured } from "../lib/fitting.js";
import { arcLinks, arcShapes } from "../lib/arcs.js";
import { css, inkOn, rampAt } from "../lib/colour.js";
import { element, percentText, svg } from "../lib/spans.js";

const ROOM_ABOVE = 132; // px for the arcs of the first head
const ROOM_BELOW = 122; // and of the second
const ROOM_EMPTY = 26;
const LEADING = 1.22;
const BASELINE = 0.8; // of the size, below the room for arcs
const ARC_TONE = 0.72; // of the ramp
const TINTED_FROM = 0.02;

/**
 * @typedef {{name: string, number: number | null, links: any[], look: number[] | null, focus: number | null}} Subject
 * a head to draw: number is null for a preview, look is [query, key, whole per cents], focus the word that a tint is about
 */
export function sentenceView(parent) {
  const gauge = element("div", { class: "gauge", "aria-hidden": "true" });
  const hero = element("div", { class: "hero" });
  parent.append(gauge, hero);
  let pieces = [];
  let sizes = null;
  let rows = [];
  let mode = "";

  function measure() {
    sizes = { ...measured(gauge, pieces.map((piece) => element("span", { class: pieceClass(piece) }, piece.text))), gaps: gapsBefore(pieces) };
  }

  function wordRow() {
    const row = element("div", { class: "sentence", role: "group", "aria-label": "the sentence, word by word" });
    const words = new Map();
    pieces.forEach((piece) => {
      if (piece.space) row.append(" ");
      const span = element("span", { class: pieceClass(piece) }, piece.text);
      if (piece.at !== null) {
        span.dataset.at = piece.at;
        span.setAttribute("role", "button");
        span.tabIndex = words.size ? -1 : 0;
        words.set(piece.at, span);
      }
      row.append(span);
    });
    return { row, words, percent: element("span", { class: "percent" }) };
  }

  /** Builds as many copies of the words as are needed; words that stay keep their focus. */
  function ensure(nextMode, copies) {
    if (mode !== nextMode) {
      hero.replaceChildren();
      rows = [];
      mode = nextMode;
      hero.className = `hero ${mode}`;
    }
    while (rows.length > copies) rows.pop().part.remove();
    while (rows.length < copies) {
      const built = wordRow();
      built.top = element("div", { class: "chips" });
      built.part = element("div", { class: "copy" }, built.top, built.row);
      if (mode === "line") built.part.prepend((built.arcs = svg("svg", { "aria-hidden": "true" })));
      rows.push(built);
      hero.append(built.part);
    }
  }

  function lockWords(spec) {
    for (const { words } of rows)
      for (const [at, span] of words) {
        span.classList.toggle("locked", at === spec.lock);
        span.setAttribute("aria-pressed", at === spec.lock);
        span.setAttribute("aria-label", `${spec.keys[at]}, ${at === spec.lock ? "release this word" : "lock this word"}`);
      }
  }

  function drawLine(spec, colours, size, [first, second]) {
    ensure("line", 1);
    const { row, words, arcs, part, top } = rows[0];
    const below = second ? ROOM_BELOW : ROOM_EMPTY;
    const height = ROOM_ABOVE + size * LEADING + below;
    const boxes = lineBoxes(sizes.widths, sizes.gaps, size);
    const byPosition = [];
    const baseline = ROOM_ABOVE + size * BASELINE;
    part.style.height = `${height}px`;
    row.style.cssText = `font-size:${size}px;top:${baseline - size * sizes.baseline}px`;
    const spans = [...row.children];
    pieces.forEach((piece, i) => {
      spans[i].style.left = `${boxes[i].x}px`;
      if (piece.at !== null) byPosition[piece.at] = boxes[i];
    });
    for (const span of words.values()) span.style.setProperty("--under", `${size * (sizes.baseline + 0.17)}px`);
    const colour = css(rampAt(colours.ramp, ARC_TONE));
    const shapes = [
      ...(first ? drawn(first, spec.lock, byPosition, { y: ROOM_ABOVE - 2, rise: 92, up: true }, colour) : []),
      ...(second ? drawn(second, spec.lock, byPosition, { y: baseline + size * 0.37, rise: 82, up: false }, colour) : []),
    ];
    arcs.replaceChildren(...shapes);
    top.replaceChildren(...(first ? [chip(first)] : []), ...(second ? [chip(second, "below")] : []));
  }

  function drawBlock(spec, colours, column, subjects) {
    const shown = subjects.filter(Boolean);
    ensure("block", Math.max(1, shown.length));
    const wide = column >= 900 && shown.length > 1;
    hero.classList.toggle("pair", wide);
    const size = blockSize(sizes.widths, sizes.gaps, wide ? (column - 48) / 2 : column);
    rows.forEach((built, i) => {
      built.row.style.cssText = `font-size:${size}px;line-height:${BLOCK_LEADING}`;
      tint(built, shown[i] ?? null, spec, colours);
    });
  }

  return {
    hero,
    setPieces(next) {
      if (JSON.stringify(next) === JSON.stringify(pieces) && sizes) return;
      pieces = next;
      mode = "";
      measure();
    },
    remeasure: measure,
    /** @param {(Subject | null)[]} subjects at most two */
    draw(spec, colours, column, narrow, subjects) {
      const size = narrow ? null : lineSize(sizes.widths, sizes.gaps, column, spec.large ? 118 : 74);
      if (size === null) drawBlock(spec, colours, column, subjects);
      else drawLine(spec, colours, size, subjects);
      lockWords(spec);
    },
  };
}

function pieceClass(piece) {
  const kind = piece.special ? " special" : piece.at === null ? " quiet" : "";
  return `piece${kind}${piece.space ? "" : " tight"}`;
}

function drawn(subject, lock, boxes, place, colour) {
  const shapes = arcShapes(arcLinks(subject.links, lock), boxes, place);
  return shapes.flatMap(({ link, path, arrow, width, opacity, label }) => {
    const nodes = [
      svg("path", { d: path, fill: "none", stroke: colour, "stroke-width": width, "stroke-opacity": opacity }),
      svg("path", { d: arrow, fill: colour, "fill-opacity": opacity }),
    ];
    const exact = subject.look && subject.look[0] === link.q && subject.look[1] === link.k;
    const whole = exact ? subject.look[2] : Math.round(link.weight * 100);
    if (label) nodes.push(svg("text", { x: label.x, y: label.y + (place.up ? -8 : 19), class: "arc-label" }, percentText(whole)));
    return nodes;
  });
}

function tint({ words, percent, top, row }, subject, spec, colours) {
  percent.remove();
  top.replaceChildren();
  row.classList.toggle("tinted", Boolean(subject));
  const looks = new Map();
  if (subject) {
    top.append(chip(subject));
    if (subject.focus !== null) top.append(element("span", { class: "who" }, "who looks at ", element("span", { class: "say-word" }, spec.keys[subject.focus])));
    for (const { q, k, weight } of subject.links) if (k === subject.focus && q !== k) looks.set(q, weight);
  }
  for (const [at, span] of words) {
    const weight = looks.get(at) ?? 0;
    const colour = weight >= TINTED_FROM ? rampAt(colours.ramp, weight) : null;
    span.style.background = colour ? css(colour) : "";
    span.style.color = colour ? inkOn(colour, colours.number_on_light, colours.number_on_dark) : "";
    span.classList.toggle("focus-word", subject !== null && at === subject.focus);
  }
  if (subject?.look && words.has(subject.look[0])) {
    percent.textContent = percentText(subject.look[2]);
    let last = words.get(subject.look[0]);
    while (last.nextElementSibling?.matches(".quiet.tight")) last = last.nextElementSibling; // not between a word and its full stop
    last.after(percent);
    if (row.scrollHeight > row.clientHeight) row.scrollTop = percent.offsetTop - row.offsetTop - row.clientHeight / 2;
  }
}

/** Number in a disc (hollow for a preview) and name. */
export function chip({ name, number }, place = "") {
  const disc = element("span", { class: number === null ? "disc hollow" : "disc" }, number === null ? "" : String(number));
  return element("span", { class: `chip ${place}` }, disc, element("span", { class: "say-head" }, name));
}
