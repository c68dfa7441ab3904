/** The blocks that are words: sentences, headings, questions with answers, ways on, buttons, definitions. */

import { element } from "../lib/spans.js";
import { said, saidNodes } from "./caption.js";
/** @import { Button } from "../blocks.d.ts" */
/** @import { Drawer } from "../drawers.d.ts" */

/** @param {Button} button */
function actButton({ act, text }) {
  return element("button", { type: "button", class: "plain-button", "data-act": act }, text);
}

/** Entries with a name, a sentence, a formula and small print. @type {Drawer<"definitions">} */
function definitions(place, { entries, compact }) {
  const print = (text) => (text ? [element("span", { class: "print" }, text)] : []);
  const nodes = entries.flatMap(({ name, text, formula, source, print: small }) => [
    element("dt", {}, name, ...print(small)),
    element("dd", {}, text, ...(formula ? [element("code", {}, formula)] : []), ...print(source)),
  ]);
  place.append(element("dl", { class: compact ? "compact" : "" }, ...nodes));
}

export const TEXT_DRAWERS = {
  said,
  caption: said,
  asked: said,
  /** The reader's sentence, large. @type {Drawer<"guess_text">} */
  guess_text: (place, { text }) => place.append(element("p", { class: "line guess-text", dir: "auto" }, text)),
  definitions,
  /** @type {Drawer<"heading">} */
  heading: (place, block) => place.append(element(block.level ?? "h2", {}, ...saidNodes(block.spans))),
  /** @type {Drawer<"buttons">} */
  buttons: (place, block) => place.append(...block.buttons.map(actButton)),
  /** @type {Drawer<"questions">} */
  questions: (place, block) => {
    for (const { ask, answer, spans } of block.rows)
      place.append(element("b", {}, ask), element("span", {}, answer), element("span", {}, ...saidNodes(spans)));
  },
  /** @type {Drawer<"ways">} */
  ways: (place, block) => {
    for (const { title, spans, button } of block.ways)
      place.append(
        element(
          "div",
          {},
          element("h2", {}, title),
          element("p", {}, ...saidNodes(spans)),
          ...(button ? [actButton(button)] : []),
        ),
      );
  },
};
