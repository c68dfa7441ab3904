/** The blocks that are words: sentences, headings, questions with answers, ways on, buttons, tables of numbers. */

import { letterChip } from "./readings_draw.js";
import { element, spanNodes } from "./spans.js";

/** Spans as nodes; a span of kind "chip" is the letter of a reading in its shape. */
export function saidNodes(spans) {
  return spans.flatMap(([kind, text]) => (kind === "chip" ? [letterChip(text)] : spanNodes([[kind, text]])));
}

function actButton({ act, value, text, style }) {
  return element("button", { type: "button", class: style ?? "plain-button", "data-act": act, "data-value": value ?? null }, text);
}

export const TEXT_DRAWERS = {
  said: (place, block) => place.append(element("p", {}, ...saidNodes(block.spans))),
  heading: (place, block) => place.append(element(block.level ?? "h2", {}, ...saidNodes(block.spans))),
  muted_tabs: (place, block) => place.append(...block.names.map((name) => element("span", {}, name))),
  buttons: (place, block) => place.append(...block.buttons.map(actButton)),
  questions: (place, block) => {
    for (const { ask, answer, spans } of block.rows)
      place.append(element("b", {}, ask), element("span", {}, answer), element("span", {}, ...saidNodes(spans)));
  },
  ways: (place, block) => {
    for (const { title, spans, button } of block.ways)
      place.append(element("div", {}, element("h3", {}, title), element("p", {}, ...saidNodes(spans)), ...(button ? [actButton(button)] : [])));
  },
};
