/** The line for newcomers. It goes for good once it was dismissed, or once a word or a head was clicked. */

import { css, rampAt, luminance } from "../lib/colour.js";
import { element, spanNodes } from "../lib/spans.js";
import { ORIENTED, remembered } from "./remembered.js";

const STRONG = 0.85; // of the ramp
const PICKED = "[data-head], [data-at]"; // heads and words, whatever component they stand in

/** Whether an event came from a head or a word. */
export function isPick(event) {
  return event.composedPath().some((node) => node.matches?.(PICKED));
}

export function orientation(parent, signal) {
  const memory = remembered(ORIENTED);
  const text = element("p");
  const dismiss = element("button", { type: "button", class: "quiet-button", "aria-label": "Got it: do not show this line again" }, "Got it");
  const box = element("div", { class: "orientation", hidden: "" }, text, dismiss);
  parent.append(box);
  let there = false;

  function gone() {
    if (!there) return;
    memory.keep();
    there = false;
    box.hidden = true;
    document.documentElement.classList.remove("newcomer");
  }
  dismiss.addEventListener("click", gone, { signal });
  document.addEventListener("click", (event) => isPick(event) && gone(), { signal, capture: true });
  document.addEventListener("keydown", (event) => (event.key === "Enter" || event.key === " ") && isPick(event) && gone(), { signal, capture: true });

  return {
    draw({ line: spans, means }, { ramp }) {
      there = spans.length > 0 && !memory.kept();
      box.hidden = !there;
      if (!there) return;
      const strong = rampAt(ramp, STRONG);
      const swatch = element("i", { class: "swatch", "aria-hidden": "true" });
      swatch.style.background = css(strong);
      const darker = luminance(strong) < luminance(rampAt(ramp, 0));
      text.replaceChildren(...spanNodes(spans), darker ? " Dark " : " Bright ", swatch, ` means: ${means}.`);
    },
  };
}
