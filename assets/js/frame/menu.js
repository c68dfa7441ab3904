/** On a phone the pages stand in a drawer, which Streamlit leaves open over the page that was chosen. */

const PAGE = '[data-testid="stSidebarNavLink"]';
const CLOSE = '[data-testid="stSidebarCollapseButton"] button';

/** Closes the drawer after a page in it was chosen. */
export function closeMenuAfterTap(page, signal) {
  const close = (event) => event.target.closest?.(PAGE) && setTimeout(() => page.querySelector(CLOSE)?.click());
  page.addEventListener("click", close, { signal });
}
