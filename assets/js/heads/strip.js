/** The small sentence that stays at the top while the grid is in view: the arcs of the pointed head, and what it does. */

import { FAINTEST_ARC, LARGE, SMALL, SMALLEST, arcLinks, arcShapes, outwardArcs } from "../lib/arcs.js";
import { nthHead } from "../lib/grid.js";
import { arcInk, arcNodes, lineBoxes, visiblePieces } from "../lib/sentence.js";
import { element, spanNodes, svg } from "../lib/spans.js";
import { glyph, roleOf, roleText } from "./roles.js";
import { pointing, runsTo, stripLine } from "./spec.js";

const SAYING = 446; // px for what is said beside the sentence, with its gap
const ROOM = { wide: 42, narrow: 26 }; // px for the arcs
const LARGEST = { wide: 22, narrow: 13 };
const LEAST = 12; // px of type

export function stripView(parent) {
  const inside = element("div.strip-in");
  const strip = element("div.strip", { "aria-hidden": "true" }, inside);
  parent.append(strip);

  /** The sentence, or as much of it as shows the look and fits, with its arcs. */
  function picture(spec, subject, { pieces, widths, gaps, className }, colours, room, narrow) {
    const whole = widths.reduce((sum, width, i) => sum + width + gaps[i], 0);
    const [most, above] = narrow ? [LARGEST.narrow, ROOM.narrow] : [LARGEST.wide, ROOM.wide];
    const size = Math.max(LEAST, Math.min(most, room / Math.max(whole, 0.01)));
    const at = (place) => pieces.findIndex((piece) => piece.at === place);
    const links = subject ? shownLinks(spec, subject) : [];
    const furthest = (measure) =>
      links.reduce((best, link) => (best === null || measure(link) > measure(best) ? link : best), null);
    const scaled = (values) => values.map((value) => value * size);
    const seen = (link) => {
      const must = (link ? [link.q, link.k] : [spec.lock ?? 0]).map(at).filter((place) => place >= 0);
      return visiblePieces(scaled(widths), scaled(gaps), room - 2 * size, must.length ? must : [0], size);
    };
    const all = seen(furthest(({ q, k }) => Math.abs(q - k)));
    const ranges = all.length === 1 ? all : seen(furthest(({ weight }) => weight)); // of looks too far apart the strongest
    const places = [];
    const words = [];
    let x = 0;
    const dots = () => {
      words.push([element("span.piece.quiet", "…"), { x, width: size }]);
      x += size;
    };
    for (const [first, end] of ranges) {
      if (first > 0) dots();
      const boxes = lineBoxes(widths.slice(first, end), [0, ...gaps.slice(first + 1, end)], size);
      pieces.slice(first, end).forEach((piece, i) => {
        const box = { x: boxes[i].x + x, width: boxes[i].width };
        const span = element(
          "span",
          { class: `${className(piece)}${piece.at !== null && piece.at === spec.lock ? " locked" : ""}` },
          piece.text,
        );
        if (piece.at !== null) places[piece.at] = box;
        words.push([span, box]);
      });
      x += boxes.at(-1).x + boxes.at(-1).width + 2;
    }
    if (ranges.at(-1)[1] < pieces.length) dots();
    if (spec.rtl) for (const [, box] of words) box.x = x - box.x - box.width; // the text runs from the right
    for (const [span, box] of words) span.style.left = `${box.x}px`;
    const visible = links.filter(({ q, k }) => places[q] && places[k]);
    const arcs = svg(
      "svg",
      { height: above },
      ...arcNodes(smallArcs(spec, subject, visible, places, above, narrow), arcInk(colours)),
    );
    const row = element("div.sentence", ...words.map(([span]) => span));
    row.style.cssText = `font-size:${size}px;height:${size * 1.4}px`;
    const node = element("div.strip-picture", { ...(spec.rtl ? { dir: "rtl" } : {}) }, arcs, row);
    node.style.paddingTop = `${above}px`;
    return node;
  }

  function saying(spec, index, narrow) {
    const { line, muted } = stripLine(spec, index);
    const role = roleOf(spec.roles, index);
    const marks = role === null ? [] : glyph(spec.roles.rows[role][0], 11);
    const pins = spec.pins.map((name, i) => element("button.disc", { "data-pin": i, tabindex: "-1" }, String(i + 1)));
    const pinned = pins.length && !narrow ? [element("span.strip-pins", "pinned ", ...pins)] : [];
    const name = element(
      "div.strip-name",
      element("span.say-head", nthHead(index, spec.heads)),
      element("span.strip-role", ...marks, roleText(spec.roles, index)),
      ...pinned,
    );
    return element(
      "div.strip-say",
      name,
      element("div.strip-line", ...spanNodes(pointing(line, narrow)), element("span.strip-muted", muted)),
    );
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
  return spec.lock === null
    ? arcLinks(subject.links, null)
    : subject.links.filter(
        ({ q, k, weight }) => q !== k && weight >= FAINTEST_ARC && (runsTo(spec, subject.look) ? k : q) === spec.lock,
      );
}

function smallArcs(spec, subject, links, boxes, above, narrow) {
  const sizes = narrow ? SMALLEST : SMALL;
  if (spec.lock !== null && !runsTo(spec, subject?.look))
    return outwardArcs(links, boxes, { y: above + 1, up: true }, sizes);
  const shapes = arcShapes(links, boxes, { y: above + 1, rise: sizes.rise, up: true, gap: -3 });
  return shapes.map((shape) => ({ ...shape, width: Math.max(1, (shape.width * sizes.widest) / LARGE.widest) }));
}
