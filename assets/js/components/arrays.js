/**
 * Matrices as tables of numbers, with operators between them: positive numbers in ink, negative ones in warm grey, a
 * result framed. A click on a cell that has a head sends head, row and column.
 */

import { fixed } from "../lib/chart.js";
import { parseColour, rampAt } from "../lib/colour.js";
import { reachScrolling } from "../lib/keyboard.js";
import { viewOf } from "../lib/view.js";
import { tint } from "../lib/sentence.js";
import { element, refill } from "../lib/spans.js";

const DEEPEST = 0.75; // of the ramp: the largest number of a picture; full ink belongs to 100 %
const NEGATIVE = 0.9; // of the warm grey

/**
 * @typedef {{title: string, shape: string, values: (number | null)[][], rows: string[], columns: string[],
 *   shares: boolean, decimals: number, cell: [number, number] | null, head: number | null, result: boolean}} Matrix
 * @typedef {{label: string, lines: (Matrix | string)[][], ink: number}} ArraysData
 */

/** A signed number with a true minus and no minus before zero; a share as whole per cents; "" for a masked number. */
export function cellText(value, { shares, decimals }) {
  if (value === null) return "";
  return shares ? `${Math.floor(100 * value + 0.5)}\u00a0%` : fixed(value, decimals);
}

/** The colour of a cell. @param {number} value @param {{shares: boolean}} matrix @param {number} ink the number in full colour */
export function cellColour(value, { shares }, ink, colours) {
  if (shares) return rampAt(colours.ramp, value);
  const depth = DEEPEST * Math.min(1, Math.abs(value) / ink);
  if (value >= 0) return rampAt(colours.ramp, depth);
  return rampAt([parseColour(colours.background), parseColour(colours.negative)], depth * NEGATIVE);
}

/** The text alternative of a matrix: title, size, and the framed cell. @param {Matrix} matrix */
export function matrixLabel(matrix) {
  const { title, values, cell } = matrix;
  const framed = cell ? `; framed: ${cellText(values[cell[0]][cell[1]], matrix) || "masked"}` : "";
  return `${title}, ${values.length} × ${values[0]?.length ?? 0}${framed}`;
}

/** A title, in which the part of a name after "_" is a subscript. */
const titleNodes = (title) => title.split(/(?<=W)_(\w)/).map((part, i) => (i % 2 ? element("sub", part) : part));

/** @param {Matrix} matrix @param {number} ink */
function matrixNode(matrix, ink, colours) {
  const { title, shape, values, rows, columns, cell, head, result } = matrix;
  const body = values.map((row, r) => {
    const cells = row.map((value, c) => {
      const framed = cell?.[0] === r && cell[1] === c;
      const node = element("td", { class: [framed && "framed", value === null && "absent"].filter(Boolean).join(" ") });
      node.append(cellText(value, matrix));
      if (head !== null) node.dataset.cell = JSON.stringify([head, r, c]);
      if (value === null) return node;
      const colour = cellColour(value, matrix, ink, colours);
      tint(node, colour, colours);
      return node;
    });
    return element("tr", rows.length > 0 && element("th", { scope: "row" }, rows[r] ?? ""), ...cells);
  });
  const names = columns.map((name) => element("th", { scope: "col" }, name));
  const top = names.length > 0 && element("thead", element("tr", rows.length > 0 && element("td.corner"), ...names));
  const table = element("table", { "aria-label": matrixLabel(matrix) }, top, element("tbody", ...body));
  const name = element("p.title", element("b", ...titleNodes(title)), shape && ` ${shape}`);
  return element("div", { class: result ? "matrix result" : "matrix" }, name, element("div.scroller", table));
}

/** Mounts matrices into a place. @param {Element} parent */
export default function arrays(parent, tokens) {
  const root = element("div.parallax.matrices", { role: "group" });
  return viewOf(parent, root, tokens, (/** @type {ArraysData} */ { label, lines, ink }, colours, send) => {
    const operator = (sign) => element("span.operator", ...titleNodes(sign));
    const nodes = lines.map((line) =>
      element(
        "div.line",
        ...line.map((item) => (typeof item === "string" ? operator(item) : matrixNode(item, ink, colours))),
      ),
    );
    root.setAttribute("aria-label", label);
    refill(root, ...nodes);
    reachScrolling(root.querySelectorAll(".scroller"));
    root.onclick = (event) => {
      const cell = /** @type {HTMLElement} */ (event.target).closest("[data-cell]");
      if (cell instanceof HTMLElement) send("cell", JSON.parse(cell.dataset.cell ?? "null"));
    };
  });
}
