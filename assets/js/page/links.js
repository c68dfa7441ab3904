/**
 * Links of Streamlit to the first page have an address without a path: a click is led there by its script, but a new tab
 * would open it on the page that has the link. So it gets its path before the browser reads it.
 */

const MEANT = ["pointerdown", "keydown"]; // before a click, a click with Ctrl, the middle button, a menu, Enter

/** @param {Document} document */
export function completeLinks(document) {
  const complete = ({ target }) => {
    const link = target.closest?.('[data-testid="stPageLink-NavLink"][href^="?"]');
    link?.setAttribute("href", `./${link.getAttribute("href")}`);
  };
  for (const kind of MEANT) document.addEventListener(kind, complete, { capture: true });
}
