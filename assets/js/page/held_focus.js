/**
 * The focus stays inside an open dialog, which hears no key otherwise: Escape would leave it open.
 *
 * A button that is switched off while its file is made, or drawn anew, loses the focus to the page. It gets it back
 * once it can have it; until then the dialog itself has it, and a key that was pressed in between is said to it again.
 */

const DIALOG = "[role='dialog']";

/** The dialog that lies on top of a page, if one is open. @param {Document} page */
export const onTop = (page) => [...page.querySelectorAll(DIALOG)].at(-1) ?? null;

/** Whether the focus is nowhere, or on what cannot hear. @param {Document} page */
export const lost = ({ activeElement, body }) =>
  !activeElement || activeElement === body || ("disabled" in activeElement && activeElement.disabled === true);

/** Follows the dialogs of a page. @param {Document} page */
export function holdFocus(page) {
  let last = null; // what had the focus in a dialog

  function hold() {
    const dialog = onTop(page);
    if (!dialog) return null;
    const waiting = page.activeElement === dialog && last !== null;
    if (!lost(page) && !waiting) return null;
    const back = last?.isConnected && dialog.contains(last) && !last.disabled;
    (back ? last : dialog).focus({ preventScroll: true });
    return dialog;
  }

  page.addEventListener("focusin", (/** @type {FocusEvent & {target: Element}} */ { target }) => {
    if (!target.closest?.(DIALOG)) last = null;
    else if (!target.matches(DIALOG)) last = target;
  });
  page.addEventListener(
    "keydown",
    (event) => {
      if (!event.isTrusted || !lost(page)) return;
      const dialog = hold();
      if (dialog && event.key === "Escape")
        dialog.dispatchEvent(
          new KeyboardEvent("keydown", { key: "Escape", code: "Escape", bubbles: true, cancelable: true }),
        );
    },
    { capture: true },
  );
  new MutationObserver((changes) => {
    if (changes.some(({ target }) => /** @type {Element} */ (target).closest(DIALOG))) hold();
  }).observe(page, { subtree: true, attributes: true, attributeFilter: ["disabled"] });
}
