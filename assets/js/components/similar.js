/** A head and similar heads on one sentence: a small map each, with a bar for its share of sinks; a click sends a head. */

import { box } from "../lib/chart.js";
import { css, rampAt } from "../lib/colour.js";
import { viewOf } from "../lib/view.js";
import { element, refill, svg } from "../lib/spans.js";

const FULL = 255; // of a share of 1
const FAINTEST = 2;

/**
 * @typedef {{head: string, note: string, is_own: boolean, size: number, cells: number[], sinks: number,
 *   label: string}} SimilarHead
 * @typedef {{label: string, is_causal: boolean, rows: SimilarHead[]}} SimilarData
 */

/** Mounts the maps into a place. @param {Element} parent */
export default function similar(parent, tokens) {
  const root = element("div.parallax.similar");
  return viewOf(parent, root, tokens, (/** @type {SimilarData} */ data, colours, send) => {
    const group = element("div.maps-row", { role: "group", "aria-label": data.label });
    for (const row of data.rows) {
      const button = element("button", { "aria-label": row.label, class: row.is_own ? "own" : "" });
      button.toggleAttribute("disabled", row.is_own);
      button.append(
        thumbnail(row, data.is_causal, colours),
        element("span.sinks", element("i", { style: `width: ${row.sinks}%` })),
        element("span.head", row.head),
        element("span.note", row.note),
      );
      button.addEventListener("click", () => send("head", row.head));
      group.append(button);
    }
    refill(root, group);
  });
}

/** @param {SimilarHead} row */
function thumbnail({ size, cells }, isCausal, colours) {
  const picture = svg("svg", {
    viewBox: `0 0 ${size} ${size}`,
    "aria-hidden": "true",
    "shape-rendering": "crispEdges",
  });
  if (isCausal) {
    const steps = Array.from({ length: size }, (_, row) => `L${row + 1},${row} L${row + 1},${row + 1}`);
    picture.append(svg("path", { d: `M0,0 ${steps.join(" ")} L${size},${size} L${size},0 Z`, class: "masked" }));
  }
  cells.forEach((value, place) => {
    if (value < FAINTEST) return;
    picture.append(box(place % size, Math.floor(place / size), 1, 1, css(rampAt(colours.ramp, value / FULL))));
  });
  return picture;
}
