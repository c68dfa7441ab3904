/** Where the stops of the tour are on the page: in our components, or in Streamlit's bar. */

const PLACES = {
  sentence: () => inComponents(".overview .hero"),
  head: ({ at }) => inComponents(`.overview [data-head="${at}"]`),
  pinned: () => inComponents(".pinned-heads .heads > *") ?? document.querySelector(".st-key-no_pins"),
};
const PAGES = '[data-testid="stTopNavLink"]';
const DRAWER = '[data-testid="stExpandSidebarButton"]'; // where the pages are on a phone

/** The thing that a stop is about, or null. */
export function placeOf(stop) {
  return PLACES[stop.where]?.(stop) ?? pageLink(stop.where);
}

/** Whether the sentence carries arcs: on a narrow screen, and with long texts, it has marks on its words. */
export function arcsAreDrawn() {
  return inComponents(".overview .hero.line") !== null;
}

function pageLink(page) {
  const links = [.../** @type {NodeListOf<HTMLAnchorElement>} */ (document.querySelectorAll(PAGES))];
  return links.find((link) => new URL(link.href).pathname.endsWith(`/${page}`)) ?? document.querySelector(DRAWER);
}

/** The first element in one of our components: each stands behind a root of its own. */
function inComponents(selector) {
  for (const host of document.querySelectorAll(
    '[data-testid="stBidiComponentIsolated"], [data-testid="stBidiComponentIsolated"] *',
  )) {
    const found = host.shadowRoot?.querySelector(selector);
    if (found) return found;
  }
  return document.querySelector(selector);
}
