/** A first view appears from the top down: parts below one that is still loading keep their room and stay hidden. */

const PARTS = '[data-testid="stElementContainer"], [data-testid="stLayoutWrapper"], [data-testid="stTabs"]';
const COMING = '[data-testid="stSkeleton"], [data-testid="stBidiComponentIsolated"]:not([data-drawn])';
const APART = ".st-key-bar"; // has its room from the first moment
const RUNNING = '[data-testid="stApp"]:not([data-test-script-state="notRunning"])';
const WAITS = "data-waits"; // see page.css
const PATIENCE = 5000; // ms for one part: what cannot be fetched keeps nothing back
const STANDS = 3000; // ms without anything that is coming
const DEEDS = ["pointerdown", "keydown", "wheel", "touchstart"];

/**
 * How many parts, counted from the top, are to be seen: as far as the first that is still coming, it included.
 * @param {boolean[]} coming of each part, in their order on the page
 */
export function uncovered(coming) {
  const first = coming.indexOf(true);
  return first < 0 ? coming.length : first + 1;
}

/** Uncovers a page until it stands, or until its reader does something. @param {Document} page */
export function uncover(page) {
  const given = new WeakSet(); // parts that were waited for long enough
  let held = null; // the part that is waited for
  let timer = 0;

  /** The parts of which something is still coming and has a place on the page: a closed one draws nothing. */
  function partsComing() {
    const found = [...page.querySelectorAll(COMING)].filter((one) => one.checkVisibility?.() !== false);
    const parts = found.map((one) => one.closest('[data-testid="stElementContainer"]'));
    return new Set(parts.filter((part) => part && !given.has(part) && !part.closest(APART)));
  }

  function look() {
    const parts = [...page.querySelectorAll(PARTS)];
    const coming = partsComing();
    const seen = uncovered(parts.map((part) => coming.has(part)));
    parts.forEach((part, i) => (i < seen ? show(part) : part.setAttribute(WAITS, "")));
    const next = coming.has(parts[seen - 1]) ? parts[seen - 1] : null;
    if (timer && next === held) return;
    held = next;
    clearTimeout(timer);
    if (held) timer = setTimeout(() => (given.add(held), look()), PATIENCE);
    else if (parts.length) timer = setTimeout(rest, STANDS);
  }

  /** Shows a part. React Aria makes a tab panel a stop of the Tab key while all in it is hidden, until its nodes change. */
  function show(part) {
    const panel = part.hasAttribute(WAITS) && part.closest('[role="tabpanel"]');
    part.removeAttribute(WAITS);
    if (panel) panel.appendChild(page.createTextNode("")).remove();
  }

  /** Nothing is coming: the page stands, unless its script still runs. */
  function rest() {
    timer = 0;
    (page.querySelector(RUNNING) ? look : end)();
  }

  const watching = new MutationObserver(look);
  const stop = new AbortController();
  function end() {
    watching.disconnect();
    stop.abort();
    clearTimeout(timer);
    page.querySelectorAll(`[${WAITS}]`).forEach(show);
  }
  for (const deed of DEEDS) page.addEventListener(deed, end, { signal: stop.signal, capture: true, passive: true });
  watching.observe(page, { childList: true, subtree: true, attributes: true, attributeFilter: ["data-drawn"] });
}
