/**
 * A control that goes away when it is pressed, or can no more be pressed once the page stands, passes the focus on: to
 * what can have it where it stood, or after that.
 *
 * Only where a key pressed it. A finger or a mouse needs no focus, and a field that got it would open a phone's keys.
 */

import { lost } from "./held_focus.js";

const TABBABLE = "a[href], button:not([disabled]), input:not([disabled]), select, textarea, summary, [tabindex='0']";
const RUNNING = '[data-testid="stApp"]:not([data-test-script-state="notRunning"])';
const AFTER = 4 | 16; // Node.DOCUMENT_POSITION_FOLLOWING, and CONTAINED_BY

/** Where an element stands: what holds it, from the inside, and as which of its children. @param {Element} element */
export function placeOf(element) {
  /** @type {[Element, number][]} */
  const place = [];
  for (let child = element; child.parentElement; child = child.parentElement)
    place.push([child.parentElement, [...child.parentElement.children].indexOf(child)]);
  return place;
}

/** What can have the focus where something stood that is gone, or null. @param {[Element, number][]} place */
export function inPlace(place) {
  for (const [parent, index] of place) {
    if (!parent.isConnected) continue;
    const next = parent.children[index];
    if (!next) continue;
    const found = [...parent.querySelectorAll(TABBABLE)].find(
      (one) => (one === next || next.compareDocumentPosition(one) & AFTER) && one.getClientRects().length,
    );
    if (found) return /** @type {HTMLElement} */ (found);
  }
  return null;
}

/** Follows what keys press on a page. @param {Document} page */
export function passFocus(page) {
  /** @type {{pressed: Element, place: [Element, number][]} | null} */
  let kept = null; // what was pressed last, or has its focus now

  page.addEventListener("keydown", ({ key, target }) => {
    const pressed = /** @type {Element} */ (target);
    kept = (key === "Enter" || key === " ") && pressed.matches("button") ? { pressed, place: placeOf(pressed) } : null;
  });
  const stays = (/** @type {Element} */ pressed) =>
    pressed.isConnected && (!pressed.matches(":disabled") || page.querySelector(RUNNING) !== null);
  new MutationObserver(() => {
    if (!kept || stays(kept.pressed)) return;
    const next = lost(page) ? inPlace(kept.place) : null;
    next?.focus({ preventScroll: true });
    kept = next && { pressed: next, place: placeOf(next) }; // which may be of the page before, and go as well
  }).observe(page, { subtree: true, childList: true, attributeFilter: ["disabled", "data-test-script-state"] });
}
