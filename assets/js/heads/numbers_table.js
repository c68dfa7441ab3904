/** One pinned head as a table: every cell, or for long texts the strongest. */

import { strongestCells } from "./cells.js";
import { FULL } from "../lib/map.js";
import { element } from "../lib/spans.js";

const LONGEST_TABLE = 48; // rows or columns
const MOST_LISTED = 100;

export function numbersTable(spec, { weights, mass, rows, columns }, name) {
  const caption = element(
    "caption.unseen",
    `${name}: per cent of ${mass ? "what is not excluded of " : ""}${spec.of ?? "each row’s attention"}`,
  );
  if (Math.max(rows, columns) > LONGEST_TABLE) return list(spec, weights, columns, caption);
  const head = element("tr", element("td"), ...spec.keys.map((key) => element("th", { scope: "col" }, key)));
  if (mass) head.append(element("th.quiet", { scope: "col" }, spec.aside_label));
  const body = spec.queries.map((query, q) => {
    const row = element("tr", element("th", { scope: "row" }, query));
    for (let k = 0; k < columns; k++)
      row.append(
        cell(
          spec.causal && k > q ? "" : oneDecimal(weights[q * columns + k] / FULL),
          (spec.look === "at" ? k : q) === spec.lock,
        ),
      );
    if (mass) row.append(element("td.quiet", String(Math.round((100 * mass[q]) / FULL))));
    return row;
  });
  return element("table", spec.rtl ? { dir: "rtl" } : {}, caption, element("thead", head), element("tbody", ...body));
}

function list(spec, weights, columns, caption) {
  const rows = strongestCells(weights, columns, MOST_LISTED).map(({ q, k, weight }) =>
    element(
      "tr",
      element("th", { scope: "row" }, spec.queries[q]),
      element("td.word", spec.keys[k]),
      cell(oneDecimal(weight), (spec.look === "at" ? k : q) === spec.lock),
    ),
  );
  const names = ["from", "to", "per cent"].map((name) => element("th", { scope: "col" }, name));
  return element("table.list", caption, element("thead", element("tr", ...names)), element("tbody", ...rows));
}

function cell(text, locked) {
  return element("td", locked ? { class: "locked" } : {}, text);
}

/** Per cents with one decimal. */
export function oneDecimal(weight) {
  return (Math.round(weight * 1000) / 10).toFixed(1);
}
