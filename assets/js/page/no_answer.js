/**
 * What is said while the server does not answer. Streamlit's dialog asks whether Streamlit is still running and names a
 * command that starts nothing of ours.
 */

const DIALOG = "[role='dialog']";
const TITLE = "Connection error"; // of Streamlit's dialog
const NOTE = "no-answer";
const SAID =
  "Parallax does not answer. This page comes back by itself as soon as it does, with your sentence and choices.";

/** From now on the dialog says it in our words. @param {typeof globalThis} window */
export function sayNoAnswer({ document: page, MutationObserver: Watching }) {
  function look() {
    for (const dialog of page.querySelectorAll(DIALOG)) {
      if (dialog.querySelector("h2")?.textContent !== TITLE || dialog.querySelector(`.${NOTE}`)) continue;
      dialog.append(Object.assign(page.createElement("p"), { className: NOTE, textContent: SAID }));
    }
  }
  new Watching(look).observe(page.body, { childList: true });
}
