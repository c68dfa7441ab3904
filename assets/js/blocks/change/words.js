/** The words of both sides as buttons: choose one of each, and they are paired. */

import { element } from "../../lib/spans.js";

const SAID = { same: "stayed", paired: "paired", alone: "without a partner", chosen: "chosen: now one of the other side" };

export function words(place, block) {
  for (const side of ["first", "second"]) {
    const buttons = block[side].map(([text, at, state]) =>
      element("button", { type: "button", class: `pair-word ${state}`, "data-act": `${side} ${at}`, "aria-pressed": state === "chosen", "aria-label": `${text}, ${SAID[state]}` }, text),
    );
    place.append(element("div", { class: "pair-line", dir: block.rtl ? "rtl" : "ltr" }, element("i", {}, side), ...buttons));
  }
}
