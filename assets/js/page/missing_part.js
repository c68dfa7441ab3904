/**
 * A part of Streamlit's own scripts that did not come is never asked for again, be it that the line broke off or that
 * the server is a newer one: where charts or tables should be stands a technical line, for as long as the page is open.
 * So the page is opened anew once its server answers. Its address has all that was chosen.
 */

const MISSING = "vite:preloadError"; // what Streamlit's loader of parts says of one
const OPENED = "parallax-opened-anew"; // when that was
const PAUSE = 60_000; // ms in which it is done once: it may not help
const AGAIN = 2_000; // ms between two looks whether the server answers

/** From now on a page is opened anew where a part of it is missing. @param {typeof globalThis} window */
export function openAnew(window) {
  const answers = () =>
    window.fetch(window.location.href, { cache: "no-store" }).then(
      ({ ok }) => ok,
      () => false,
    );

  async function anew() {
    while (!(await answers())) await new Promise((go) => window.setTimeout(go, AGAIN));
    window.location.reload();
  }

  /** Whether it is to be done now; a browser that keeps nothing would do it again and again. */
  function first() {
    try {
      const before = Number(window.sessionStorage.getItem(OPENED));
      if (Date.now() - before < PAUSE) return false;
      window.sessionStorage.setItem(OPENED, String(Date.now()));
      return true;
    } catch {
      return false;
    }
  }

  window.addEventListener(MISSING, () => first() && anew());
}
