/** A sentence in which each term of the glossary is a button that opens its explanation under the line. */

import { element, refill, spanNodes } from "../lib/spans.js";
/** @import { Said } from "../blocks.d.ts" */

const STAYS = "\u00a0"; // between a letter and its word
const LEADING = /\b(verdict|calm|result|lead)\b/; // styles of the sentence that a page is about

/**
 * Which explanation is open after a click on a term: a second click closes it.
 * @param {string | null} open @param {string} clicked
 */
export function opened(open, clicked) {
  return open === clicked ? null : clicked;
}

/** A in a disc or B in a square: the letter always stands beside the colour. */
export function letterChip(letter) {
  return element("span", { class: `letter ${letter.toLowerCase()}` }, letter);
}

/** Spans as nodes; a span of kind "chip" is the letter of a reading in its shape. @param {Span[]} spans */
export function saidNodes(spans) {
  return spans.flatMap(([kind, text]) => (kind === "chip" ? [letterChip(text)] : spanNodes([[kind, text]])));
}

/**
 * A paragraph, and under it the explanation of the term that is open: which one that is outlives a drawing.
 * @param {Omit<Said, "kind">} block @param {Pick<Tools, "terms" | "memory" | "id">} tools
 */
export function said({ spans, style }, { terms, memory, id }) {
  const explanation = element("p.explanation", { "aria-live": "polite", hidden: "" });
  const line = element(LEADING.test(style) ? "h1" : style === "headline" ? "h2" : "p", {
    class: ["line", ...style.split(" ").slice(1)].join(" "), // the first word of a style is its place's
  });
  const show = () => {
    const open = memory.get(id) ?? null;
    for (const button of line.querySelectorAll(".term"))
      button.setAttribute("aria-expanded", String(button.dataset.term === open));
    explanation.toggleAttribute("hidden", open === null);
    refill(explanation, open !== null && [element("b", open), ` ${terms[open]}`]);
  };
  for (const [i, span] of spans.entries()) {
    const [kind, text, term] = span;
    if (kind !== "term") {
      const [before, kept] = [spans[i - 2]?.[0], line.lastElementChild];
      if (kind === "chip") line.append(element("span.kept", ...saidNodes([span])));
      else if (kept?.className === "kept" && kept === line.lastChild && (text === STAYS || before === "chip"))
        kept.append(...saidNodes([span]));
      else line.append(...saidNodes([span]));
      continue;
    }
    const button = element("button.term", { "aria-expanded": "false", "data-term": term }, text);
    button.addEventListener("click", () => {
      memory.set(id, opened(memory.get(id) ?? null, term));
      show();
    });
    line.append(button);
  }
  if (!spans.some(([kind, , term]) => kind === "term" && term === memory.get(id))) memory.delete(id);
  if (!line.querySelector(".term")) return [line];
  show();
  return [line, explanation];
}
