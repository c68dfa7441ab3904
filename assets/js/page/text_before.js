/**
 * What a page shows of the text before is marked as soon as another one is taken: it is dimmed, busy, and answers
 * neither pointer nor Enter, until Streamlit has it anew or no run follows.
 *
 * Streamlit says of each part whether it is older than the run (`data-stale`), but fades it half a second later, and
 * after every run alike.
 */

export const OF = "parallax-of"; // the event in which the bar says what a run is of
const MARKS = ["aria-busy", "data-before"]; // see page.css
const PLACE = '[class*="st-key-page_"]:not([class*="st-key-page_apart_"]), .st-key-of_the_sentence';
const FIELD = ":is(.st-key-text, .st-key-second) :is(textarea, input)";
const STATE = "data-test-script-state";
const QUIET = 100; // ms after the end of a run in which the next one may begin
const PATIENCE = 10_000; // ms without a run: what was taken leads to none

/** Marks what is of the text before, from now on. @param {Window & typeof globalThis} window */
export function markBefore(window) {
  const page = window.document;
  let text = ""; // of the field that has the focus, as it was taken last
  let asked = /** @type {string | null} */ (null); // a text that was taken, and no run is of yet
  let subject = ""; // of the last run
  let timer = 0;

  function unmark() {
    asked = null;
    for (const place of page.querySelectorAll(`[${MARKS[0]}]`)) for (const name of MARKS) place.removeAttribute(name);
  }
  /** @param {"all" | "stale"} which parts */
  function mark(which) {
    for (const place of page.querySelectorAll(PLACE)) {
      place.setAttribute(MARKS[0], "true");
      place.setAttribute(MARKS[1], which);
    }
    wait(PATIENCE);
  }
  function wait(time) {
    window.clearTimeout(timer);
    timer = window.setTimeout(unmark, time);
  }
  function take({ target }) {
    if (!target.matches?.(FIELD) || target.value === text) return;
    text = asked = target.value;
    mark("all");
  }
  const isDeaf = (node) => node.closest?.(`[${MARKS[0]}]`) && window.getComputedStyle(node).pointerEvents === "none";
  function silence(event) {
    if (!isDeaf(event.target)) return;
    event.preventDefault();
    event.stopImmediatePropagation();
  }

  /** @type {(name: string, handler: (event: any) => unknown) => void} */
  const listen = (name, handler) => page.addEventListener(name, handler, { capture: true });
  listen("focusin", ({ target }) => target.matches?.(FIELD) && (text = target.value));
  listen("focusout", take);
  listen("keydown", (event) => {
    if (["Enter", " "].includes(event.key)) silence(event);
    if (event.key === "Enter" && !event.shiftKey && !event.isComposing) take(event);
  });
  listen("click", silence);
  listen(OF, ({ detail }) => {
    const before = subject;
    subject = JSON.stringify(detail);
    if (asked !== null && !Object.values(detail).includes(asked)) return;
    if (asked !== null || (before && before !== subject)) mark("stale");
    asked = null;
  });
  new MutationObserver((changes) => {
    const state = /** @type {Element} */ (changes.at(-1).target).getAttribute(STATE);
    if (state === "notRunning") wait(asked === null ? QUIET : PATIENCE);
    else window.clearTimeout(timer);
  }).observe(page, { subtree: true, attributes: true, attributeFilter: [STATE] });
}
