/** The small sentence that stays at the top while the grid is in view: the arcs of the pointed head, and what it does. */

import { css, rampAt } from "../lib/colour.js";
import { lineBoxes } from "../lib/layout.js";
import { FAINTEST_ARC, arcLinks, arcShapes } from "../lib/arcs.js";
import { element, spanNodes, svg } from "../lib/spans.js";
import { headName, pointing, stripLine } from "./spec.js";
import { SMALL, SMALLEST, outwardArcs, visiblePieces } from "./outward.js";
import { glyph, roleOf, roleText } from "./roles.js";
import { arcNodes } from "./sentence.js";

const ARC_TONE = 0.72; // of the ramp
const SAYING = 446; // px for what is said beside the sentence, with its gap
const ROOM = { wide: 42, narrow: 26 }; // px for the arcs
const LARGEST = { wide: 22, narrow: 13 };
const LEAST = 12; // px of type

export function stripView(parent) {
  const inside = element("div", { class: "strip-in" });
  const strip = element("div", { class: "strip", "aria-hidden": "true" }, inside);
  parent.append(strip);

  /** The sentence, or as much of it as shows the look and fits, with its arcs. */
  function picture(spec, subject, { pieces, widths, gaps, className }, colours, room, narrow) {
    const whole = widths.reduce((sum, width, i) => sum + width + gaps[i], 0);
    const [most, above] = narrow ? [LARGEST.narrow, ROOM.narrow] : [LARGEST.wide, ROOM.wide];
    const size = Math.max(LEAST, Math.min(most, room / Math.max(whole, 0.01)));
    const at = (place) => pieces.findIndex((piece) => piece.at === place);
    const links = subject ? shownLinks(spec, subject) : [];
    const farthest = links.reduce((far, { q, k }) => (far === null || Math.abs(q - k) > Math.abs(far.q - far.k) ? { q, k } : far), null);
    const must = (farthest ? [farthest.q, farthest.k] : [spec.lock ?? 0]).map(at).filter((place) => place >= 0);
    const scaled = (values) => values.map((value) => value * size);
    const [first, end] = visiblePieces(scaled(widths), scaled(gaps), room - 2 * size, must.length ? must : [0]);
    const shown = pieces.slice(first, end);
    const before = first > 0 ? size : 0;
    const boxes = lineBoxes(widths.slice(first, end), [0, ...gaps.slice(first + 1, end)], size).map((box) => ({ ...box, x: box.x + before }));
    const places = [];
    shown.forEach((piece, i) => piece.at !== null && (places[piece.at] = boxes[i]));
    const words = shown.map((piece, i) => {
      const span = element("span", { class: `${className(piece)}${piece.at !== null && piece.at === spec.lock ? " locked" : ""}` }, piece.text);
      span.style.left = `${boxes[i].x}px`;
      return span;
    });
    const dots = [...(first > 0 ? [0] : []), ...(end < pieces.length ? [(boxes.at(-1)?.x ?? 0) + (boxes.at(-1)?.width ?? 0) + 2] : [])].map((x) => {
      const span = element("span", { class: "piece quiet" }, "…");
      span.style.left = `${x}px`;
      return span;
    });
    const colour = css(rampAt(colours.ramp, ARC_TONE));
    const visible = links.filter(({ q, k }) => places[q] && places[k]);
    const arcs = svg("svg", { height: above }, ...smallArcs(spec, visible, places, above, narrow).flatMap((shape) => arcNodes(shape, colour)));
    const row = element("div", { class: "sentence" }, ...words, ...dots);
    row.style.cssText = `font-size:${size}px;height:${size * 1.4}px`;
    const node = element("div", { class: "strip-picture" }, arcs, row);
    node.style.paddingTop = `${above}px`;
    return node;
  }

  function saying(spec, index, narrow) {
    const { line, muted } = stripLine(spec, index);
    const role = roleOf(spec.roles, index);
    const marks = role === null ? [] : glyph(spec.roles.rows[role][0], 11);
    const pins = spec.pins.map((name, i) => element("button", { type: "button", class: "disc", "data-pin": i, tabindex: "-1" }, String(i + 1)));
    const pinned = pins.length && !narrow ? [element("span", { class: "strip-pins" }, "pinned ", ...pins)] : [];
    const name = element("div", { class: "strip-name" }, element("span", { class: "say-head" }, headName(index, spec.heads)), element("span", { class: "strip-role" }, ...marks, roleText(spec.roles, index)), ...pinned);
    return element("div", { class: "strip-say" }, name, element("div", { class: "strip-line" }, ...spanNodes(pointing(line, narrow)), element("span", { class: "strip-muted" }, muted)));
  }

  return {
    get shown() {
      return strip.classList.contains("show");
    },
    show(yes) {
      strip.classList.toggle("show", yes);
    },
    /** @param {number} index of the head it is about; below 0 it says nothing */
    draw(spec, subject, index, parts, colours, width, narrow) {
      if (index < 0 || !parts.pieces.length) return inside.replaceChildren();
      const room = narrow ? width : width - SAYING;
      inside.replaceChildren(picture(spec, subject, parts, colours, room, narrow), saying(spec, index, narrow));
      return undefined;
    },
  };
}

function shownLinks(spec, subject) {
  return spec.lock === null ? arcLinks(subject.links, null) : subject.links.filter(({ q, k, weight }) => q !== k && weight >= FAINTEST_ARC && (spec.look === "at" ? k : q) === spec.lock);
}

function smallArcs(spec, links, boxes, above, narrow) {
  const sizes = narrow ? SMALLEST : SMALL;
  if (spec.lock !== null && spec.look !== "at") return outwardArcs(links, boxes, { y: above + 1, up: true }, sizes);
  return arcShapes(links, boxes, { y: above + 1, rise: sizes.rise, up: true }).map((shape) => ({
    ...shape,
    width: Math.max(1, (shape.width * sizes.widest) / 14),
    label: shape.label && { x: shape.label.x, y: shape.label.y - 3, anchor: "middle", strong: true },
  }));
}
