/** Entries with a name, a sentence, a formula and small print, as a list of definitions. */

import { element } from "./spans.js";

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".definitions");
  const entries = data.entries.flatMap((entry) => [
    element("dt", {}, entry.name, ...(entry.print ? [element("span", { class: "print" }, entry.print)] : [])),
    element("dd", {}, entry.text, ...(entry.formula ? [element("code", {}, entry.formula)] : []), ...(entry.source ? [element("span", { class: "print" }, entry.source)] : [])),
  ]);
  root.replaceChildren(element("dl", { class: data.compact ? "compact" : "" }, ...entries));
  root.dataset.ready = "";
  return () => root.replaceChildren();
}
