/**
 * Arrow keys on a focused step go to the next step, as they do everywhere else on the page.
 *
 * Streamlit's pills are radio buttons whose arrow keys only move the focus; here the focused one is taken as well, which
 * is what a group of radio buttons does. All else of the pills' keyboard stays Streamlit's.
 *
 * A step that was chosen from below the text brings the row of steps back into view, and with it what is said.
 */

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

const BAR = 60; // px that the page's bar covers

let listening = false;
let shown = null; // the step that was drawn last

/** The radio button to take after a key: the one that has the focus now, if it is another one of the same group. */
export function taken(key, before, after) {
  if (!ARROWS.includes(key) || before === after) return null;
  const group = before?.closest?.('[role="radiogroup"]');
  return group && after?.getAttribute?.("role") === "radio" && after.closest('[role="radiogroup"]') === group
    ? after
    : null;
}

/** Whether another step was chosen while what is said of it, under the row of steps, is out of view. */
export function outOfView(before, step, top) {
  return before !== null && before !== step && top < BAR;
}

/** Draws nothing: from now on the page's steps are followed, whichever of them stand on it. @type {Drawer<"arrow_keys">} */
export function arrowKeys({ step }) {
  const row = document.querySelector(".st-key-steps_bar");
  if (row && outOfView(shown, step, row.getBoundingClientRect().top)) row.scrollIntoView({ block: "start" });
  shown = step;
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", pressed, { capture: true });
}

function pressed(event) {
  const before = document.activeElement;
  if (event.ctrlKey || event.altKey || event.metaKey || !before?.closest(".st-key-steps_step")) return;
  setTimeout(() => taken(event.key, before, document.activeElement)?.click()); // after the pills have moved the focus
}
