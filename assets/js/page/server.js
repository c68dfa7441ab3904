/**
 * Where the app's server is, said before Streamlit's scripts run: else they look for it below the page's own name first,
 * `/readings/_stcore/health`, and come to it a round trip later.
 */

/** @param {Window & {__streamlit?: object}} window Streamlit's scripts read it @param {string} page its own part of the address, "" for the one that has none */
export function nameServer(window, page) {
  const { origin, pathname } = window.location;
  if (!page || !pathname.endsWith(`/${page}`)) return;
  window.__streamlit = { BACKEND_BASE_URL: origin + pathname.slice(0, -page.length), ...window.__streamlit };
}
