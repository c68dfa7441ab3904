/** The note while the server does not answer: Streamlit's own dialog names a command that does not start this app. */

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
