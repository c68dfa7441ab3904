/**
 * Arrow keys on a focused step go to the next step, as they do everywhere else on the page.
 *
 * Streamlit's pills are radio buttons whose arrow keys only move the focus; here the focused one is taken as well, which
 * is what a group of radio buttons does. All else of the pills' keyboard stays Streamlit's.
 */

const ARROWS = ["ArrowLeft", "ArrowRight", "ArrowUp", "ArrowDown"];

let listening = false;

/** The radio button to take after a key: the one that has the focus now, if it is another one of the same group. */
export function taken(key, before, after) {
  if (!ARROWS.includes(key) || before === after) return null;
  const group = before?.closest?.('[role="radiogroup"]');
  return group && after?.getAttribute?.("role") === "radio" && after.closest('[role="radiogroup"]') === group ? after : null;
}

/** Draws nothing: from now on the page's steps are followed, whichever of them stand on it. */
export function arrowKeys() {
  if (listening) return;
  listening = true;
  document.addEventListener("keydown", pressed, { capture: true });
}

function pressed(event) {
  const before = document.activeElement;
  if (event.ctrlKey || event.altKey || event.metaKey || !before?.closest(".st-key-steps_step")) return;
  setTimeout(() => taken(event.key, before, document.activeElement)?.click()); // after the pills have moved the focus
}
