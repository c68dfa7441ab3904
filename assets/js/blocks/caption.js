/** A line of text in which each term of the glossary is a button that opens its explanation under the line. */

import { element } from "./spans.js";

/**
 * Which explanation is open after a click on a term: a second click closes it.
 * @param {string | null} open @param {string} clicked
 */
export function opened(open, clicked) {
  return open === clicked ? null : clicked;
}

export default function ({ data, parentElement }) {
  const root = parentElement.querySelector(".caption");
  const explanation = element("p", { class: "explanation", "aria-live": "polite", hidden: "" });
  const line = element("p", { class: `line ${data.style}` });
  const buttons = [];
  let open = null;
  const choose = (term) => {
    open = opened(open, term);
    buttons.forEach((button) => button.setAttribute("aria-expanded", String(button.dataset.term === open)));
    explanation.toggleAttribute("hidden", open === null);
    explanation.replaceChildren(...(open === null ? [] : [element("b", {}, open), ` ${data.terms[open]}`]));
  };
  for (const [kind, text, term] of data.spans) {
    if (kind === "plain") line.append(text);
    else if (kind === "term") {
      const button = element("button", { type: "button", class: "term", "aria-expanded": "false", "data-term": term }, text);
      button.addEventListener("click", () => choose(term));
      buttons.push(button);
      line.append(button);
    } else line.append(element("span", { class: `say-${kind}` }, text));
  }
  root.replaceChildren(line, explanation);
  return () => root.replaceChildren();
}
