/**
 * Streamlit draws an opened popover at the end of the page, far from its button for whoever uses the Tab key. So the
 * focus goes into it when it opens, and back to its button where it ends; Escape, which closes it, is Streamlit's own.
 *
 * One that is closed by Escape before the focus is in it may open again for a moment, when the run that filled it ends, and
 * close with the next: the focus stays on its button, or it would be lost with what closes.
 */

const BUTTON = '[data-testid="stPopoverButton"]';
const BODY = '[data-testid="stPopoverBody"]';
const CONTROLS = 'a[href], button, input:not([type="hidden"]), select, textarea, [tabindex]';
const FRAMES = 60; // in which a popover has to be there

/** What the Tab key reaches in a place, in its order. @param {Element} place */
export function reached(place) {
  return [.../** @type {NodeListOf<HTMLElement & {disabled?: boolean}>} */ (place.querySelectorAll(CONTROLS))].filter(
    (node) => node.tabIndex >= 0 && !node.disabled && node.getClientRects().length > 0,
  );
}

/** @typedef {Event & {target: HTMLElement}} On */

/** Follows every popover of a page. @param {Document} page */
export function reachPopovers(page) {
  let opener = null;

  function enter(frames) {
    if (!opener) return;
    if (!opener.isConnected || opener.getAttribute("aria-expanded") !== "true") return frames > 0 && again(frames);
    const [first] = reached(page.querySelector(BODY) ?? page.createElement("div"));
    if (!first) return again(frames);
    return first.focus();
  }
  const again = (frames) => frames > 0 && requestAnimationFrame(() => enter(frames - 1));

  page.addEventListener(
    "click",
    (/** @type {On} */ { target }) => {
      const button = target.closest?.(BUTTON);
      if (!button || button.getAttribute("aria-expanded") === "true") return;
      opener = button;
      again(FRAMES);
    },
    { capture: true },
  );
  page.addEventListener(
    "keydown",
    ({ key }) => {
      if (key === "Escape" && page.activeElement === opener) opener = null;
    },
    { capture: true },
  );
  page.addEventListener("keydown", (/** @type {KeyboardEvent & On} */ event) => {
    const body = event.key === "Tab" && event.target.closest?.(BODY);
    if (!body || !opener?.isConnected) return;
    const controls = reached(body);
    const edge = event.shiftKey ? controls[0] : controls.at(-1);
    if (page.activeElement !== edge) return;
    event.preventDefault();
    opener.focus();
  });
}
