/** The words of both sides as buttons: choose one of each, and they are paired. */

import { element } from "../../lib/spans.js";
/** @import { Drawer } from "../../drawers.d.ts" */

/** @type {Drawer<"change_words">} */
export function words(place, block, { legend }) {
  for (const side of ["first", "second"]) {
    const buttons = block[side].map(([text, at, state]) =>
      element(
        "button",
        {
          type: "button",
          class: `pair-word ${state}`,
          "data-act": `${side} ${at}`,
          "aria-pressed": state === "chosen",
          "aria-label": `${text}, ${legend[state]}`,
        },
        text,
      ),
    );
    place.append(
      element(
        "div",
        { class: "pair-line", dir: block.rtl ? "rtl" : "ltr" },
        element("i", {}, legend[side]),
        ...buttons,
      ),
    );
  }
}
