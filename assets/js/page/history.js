/**
 * What the reader does is one step of the browser's history, and arriving at a page is one.
 *
 * Streamlit makes a step of every change of the address that its server asks for: also of the link's version, of words
 * that are taken out because they cannot be or belong to another page, of the sentence that a page opens with. A step
 * back then lands on the same page without its state. So the first change after a deed is a step, and what follows
 * from the same deed replaces it; before any deed, everything does.
 *
 * A browser has no way yet to refuse a step that a script makes. Without this, opening Heads, a click and another page
 * leave two, one and three steps, with it one each.
 */

const DEEDS = ["pointerdown", "keydown"];

/** Makes the history of a window one of deeds. @param {Window} window */
export function oneStepForADeed(window) {
  const push = window.history.pushState.bind(window.history);
  let stepped = true;
  for (const deed of DEEDS) window.addEventListener(deed, () => (stepped = false), { capture: true });
  window.addEventListener("popstate", () => (stepped = true));
  window.history.pushState = (state, title, address) => {
    if (stepped) window.history.replaceState(state, title, address);
    else push(state, title, address);
    stepped = true;
  };
}
