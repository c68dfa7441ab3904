/**
 * What the first picture does not need is fetched while it is drawn: the page names it (`mha/ui/preloaded.py`), and it is
 * asked for once the first component is on the page, when all files before it have come and the line is idle.
 */

const LATER = 'link[rel="later"]';
const FIRST = '[data-testid="stMain"] [data-testid="stBidiComponentIsolated"]';

/** @param {Document} page */
export function fetchRest(page) {
  const watching = new MutationObserver(() => {
    if (!page.querySelector(FIRST)) return;
    watching.disconnect();
    for (const link of /** @type {NodeListOf<HTMLLinkElement>} */ (page.querySelectorAll(LATER))) link.rel = "preload";
  });
  watching.observe(page, { childList: true, subtree: true });
}
