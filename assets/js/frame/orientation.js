/** The line for newcomers. It goes for good once it was dismissed, or once a word or a head was clicked. */

import { element, spanNodes } from "../lib/spans.js";
import { ORIENTED, remembered } from "./remembered.js";

const PICKED = "[data-head], [data-at]"; // heads and words, whatever component they stand in

/** Whether an event came from a head or a word. */
export function isPick(event) {
  return event.composedPath().some((node) => node.matches?.(PICKED));
}

export function orientation(parent, signal) {
  const memory = remembered(ORIENTED);
  const text = element("p");
  const dismiss = element("button.quiet-button", { "aria-label": "Got it: hide this introduction" }, "Got it");
  const box = element("div.orientation", { hidden: "" }, text, dismiss);
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
  document.addEventListener(
    "keydown",
    (event) => (event.key === "Enter" || event.key === " ") && isPick(event) && gone(),
    { signal, capture: true },
  );

  return {
    draw({ line: spans }) {
      there = spans.length > 0 && !memory.kept();
      box.hidden = !there;
      if (there) text.replaceChildren(...spanNodes(spans));
    },
  };
}
