/** Shares of one head, a row each: its bar over the band and the median of all heads, and a ring for a second share. */

import { viewOf } from "../lib/view.js";
import { element, refill } from "../lib/spans.js";

/**
 * @typedef {{name: string, value: number, low: number, high: number, median: number, ring: number | null,
 *   text: string, note: string, label: string}} ShareRow in per cent
 * @typedef {{label: string, rows: ShareRow[]}} SharesData
 */

/** Mounts the rows into a place. @param {Element} parent */
export default function shares(parent, tokens) {
  const root = element("div.parallax.shares");
  return viewOf(parent, root, tokens, (/** @type {SharesData} */ { label, rows }) => {
    refill(root, element("div", { role: "list", "aria-label": label }, ...rows.map(rowNode)));
  });
}

/** @param {ShareRow} row */
function rowNode({ name, value, low, high, median, ring, text, note, label }) {
  const track = element(
    "span.track",
    element("i.band", { style: `left: ${low}%; width: ${high - low}%` }),
    element("i.bar", { style: `width: ${value}%` }),
    element("i.median", { style: `left: ${median}%` }),
    ring === null ? null : element("i.ring", { style: `left: ${ring}%` }),
  );
  const parts = [element("span.name", name), track, element("b", text), element("span.note", note)];
  for (const part of parts) part.setAttribute("aria-hidden", "true");
  return element("div.row", { role: "listitem" }, element("span.unseen", label), ...parts);
}
