/**
 * Links of Streamlit between pages open in a new tab as other links do. Streamlit takes a click with Ctrl as a plain one,
 * and links to the first page have an address without a path, which a new tab would open on the page that has the link.
 */

const LINK = '[data-testid="stPageLink-NavLink"]';
const MEANT = ["pointerdown", "keydown"]; // before a click, the middle button, a menu, Enter

/** @param {Document} document */
export function completeLinks(document) {
  const complete = ({ target }) => {
    const link = target.closest?.(`${LINK}[href^="?"]`);
    link?.setAttribute("href", `./${link.getAttribute("href")}`);
  };
  for (const kind of MEANT) document.addEventListener(kind, complete, { capture: true });
  const leaveToBrowser = (/** @type {any} */ event) => {
    const isForNewTab = event.ctrlKey || event.metaKey || event.shiftKey;
    if (isForNewTab && event.target.closest?.(LINK)) event.stopPropagation();
  };
  document.addEventListener("click", leaveToBrowser, { capture: true });
}
