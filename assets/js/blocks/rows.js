/** A table in a file that left the page: what Streamlit drew there, and all of it as CSV. Text is only ever set as text. */

import { element } from "../lib/spans.js";

/** @type {Drawer<"rows">} */
export function rows({ title, names, numbers, rows: body, note, csv, file }) {
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
