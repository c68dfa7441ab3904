/**
 * What a reader does while the server is away reaches nobody, and once it is back Streamlit asks for nothing: a field
 * says one sentence then, and all of the page another. So a run is asked for, with which a browser says what all its
 * widgets hold, where anything was done since the last one began.
 */

const APP = '[data-testid="stApp"]';
const [SCRIPT, LINE] = ["data-test-script-state", "data-test-connection-state"];
const DEEDS = ["pointerdown", "keydown", "popstate"];

/** Follows one connection: what is done, that a run begins, and how the line is. @param {() => void} ask */
export function returns(ask) {
  let done = false; // since the last run began
  let away = false;
  return {
    did: () => (done = true),
    began: () => (done = false),
    /** @param {boolean} connected */
    line(connected) {
      if (connected && away && done) ask();
      away = !connected;
    },
  };
}

/** Asks for a run where one is missing. @param {Window} window @param {() => void} ask @param {AbortSignal} signal */
export function askOnReturn(window, ask, signal) {
  const follows = returns(ask);
  const watching = new MutationObserver((changes) => {
    for (const { attributeName, target } of changes) {
      const app = /** @type {Element} */ (target);
      if (attributeName === LINE) follows.line(app.getAttribute(LINE) === "CONNECTED");
      else if (app.getAttribute(SCRIPT) === "running") follows.began();
    }
  });
  for (const deed of DEEDS) window.addEventListener(deed, follows.did, { capture: true, signal });
  watching.observe(window.document.querySelector(APP), { attributes: true, attributeFilter: [SCRIPT, LINE] });
  signal.addEventListener("abort", () => watching.disconnect());
}
