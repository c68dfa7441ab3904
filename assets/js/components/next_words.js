/** The likeliest next words as bars; a click on one sends it. After an ablation an outline is the share before. */

import { viewOf } from "../lib/view.js";
import { reachWord, rowMove } from "../lib/keyboard.js";
import { element, refill } from "../lib/spans.js";

/**
 * @typedef {{name: string, word: string, is_word?: boolean, before: number, after: number | null, text: string,
 *   label: string, on: boolean}} Candidate `word` is the spelling that a click sends, "" if it sends none
 * @typedef {{title: string, hint: string, candidates: Candidate[]}} NextWordsData
 */

/** The bars as one element. @param {NextWordsData} data @param {Tell} send */
export function nextWordBars({ title, hint, candidates }, send) {
  const compared = candidates.some(({ after }) => after !== null);
  const beforeAfter = [element("u.outline"), " before, ", element("i.filled"), " after"];
  const list = element("div.candidates", { role: "toolbar", "aria-label": title, "aria-orientation": "vertical" });
  list.append(element("p.title", element("span", title), element("span", compared ? beforeAfter : hint)));
  for (const { name, word, is_word, before, after, text, label, on } of candidates) {
    const fill = element("i");
    fill.style.width = `${100 * (after ?? before)}%`;
    const outline = after === null ? null : element("u");
    if (outline) outline.style.width = `${100 * before}%`;
    const row = element(
      "button.bar",
      { "aria-pressed": String(on), "aria-label": label },
      element(is_word === false ? "span.name.token" : "em.name", element("span", name)),
      element("span.track", fill, outline),
      element("span.value", text),
    );
    row.toggleAttribute("disabled", !word);
    row.addEventListener("click", () => send("word", word));
    list.append(row);
  }
  const rows = /** @type {HTMLButtonElement[]} */ ([...list.querySelectorAll(".bar:not([disabled])")]);
  const reached = Math.max(
    0,
    candidates.filter(({ word }) => word).findIndex(({ on }) => on),
  );
  rows.forEach((row, at) => (row.tabIndex = at === reached ? 0 : -1)); // one stop of the Tab key
  list.addEventListener("keydown", (/** @type {KeyboardEvent} */ event) => {
    const at = rows.indexOf(/** @type {HTMLButtonElement} */ (event.target));
    const next = at < 0 ? null : rowMove(event.key, at, rows.length);
    if (next === null) return;
    event.preventDefault();
    reachWord(rows, next);
  });
  return list;
}

/** Mounts the bars into a place. @param {Element} parent */
export default function nextWords(parent, tokens) {
  const root = element("div.parallax.next-words");
  const draw = (/** @type {NextWordsData} */ data, _, send) => refill(root, nextWordBars(data, send));
  return viewOf(parent, root, tokens, draw);
}
