/**
 * A control that goes away when it is pressed, or can no more be pressed once the page stands, passes the focus on: to
 * what can have it where it stood, or after that. One that goes with all of its picture, as where it opens another page,
 * passes it to the heading of what comes.
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

/** The heading of a page, in whatever picture it stands. @param {Document} page @returns {HTMLElement | null} */
function headingOf(page) {
  const roots = [page, ...[...page.querySelectorAll("[data-drawn]")].map(({ shadowRoot }) => shadowRoot)];
  const all = roots.flatMap((root) => [.../** @type {NodeListOf<HTMLElement>} */ (root?.querySelectorAll("h1") ?? [])]);
  return all.find((one) => one.getClientRects().length) ?? null;
}

/** Follows what keys press on a page. @param {Document} page */
export function passFocus(page) {
  /** @type {{pressed: Element, picture: Element | null, place: [Element, number][]} | null} */
  let kept = null; // what was pressed last, or has its focus now

  page.addEventListener("keydown", (event) => {
    const [pressed, target] = /** @type {Element[]} */ ([event.composedPath()[0], event.target]);
    const deed = (event.key === "Enter" || event.key === " ") && pressed.matches("button, canvas"); // a map opens a cell
    kept = deed ? { pressed, picture: target === pressed ? null : target, place: placeOf(target) } : null;
  });
  const stays = (/** @type {Element} */ pressed) =>
    pressed.isConnected && (!pressed.matches(":disabled") || page.querySelector(RUNNING) !== null);

  /** Gives the focus to the heading once the page stands; false until then. */
  function passToHeading() {
    if (!lost(page)) return true;
    const heading = page.querySelector(RUNNING) ? null : headingOf(page);
    if (!heading) return false;
    heading.tabIndex = -1;
    heading.focus();
    heading.addEventListener("blur", () => heading.removeAttribute("tabindex"), { once: true });
    return true;
  }

  new MutationObserver(() => {
    if (!kept || stays(kept.pressed)) return;
    if (kept.picture) {
      if (kept.picture.isConnected || passToHeading()) kept = null; // a picture that stays keeps its focus itself
      return;
    }
    const next = lost(page) ? inPlace(kept.place) : null;
    next?.focus({ preventScroll: true });
    kept = next && { pressed: next, picture: null, place: placeOf(next) }; // which may be of the page before, and go as well
  }).observe(page, {
    subtree: true,
    childList: true,
    attributeFilter: ["disabled", "data-test-script-state", "data-drawn"],
  });
}
