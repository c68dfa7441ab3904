/**
 * Once a server that was away is back, Streamlit asks for nothing. A new session that begins with a typed text reads the
 * URL over it, and what was done meanwhile reached nobody. So a run is asked for as soon as the line is back.
 */

const APP = '[data-testid="stApp"]';
const LINE = "data-test-connection-state";

/** Follows one connection. @param {() => void} ask */
export function returns(ask) {
  let away = false;
  /** @param {boolean} connected */
  return (connected) => {
    if (connected && away) ask();
    away = !connected;
  };
}

/** Asks for a run when the line is back. @param {Window} window @param {() => void} ask @param {AbortSignal} signal */
export function askOnReturn(window, ask, signal) {
  const line = returns(ask);
  const app = /** @type {Element} */ (window.document.querySelector(APP));
  const watching = new MutationObserver(() => line(app.getAttribute(LINE) === "CONNECTED"));
  watching.observe(app, { attributes: true, attributeFilter: [LINE] });
  signal.addEventListener("abort", () => watching.disconnect());
}
