/** The field of the sentence has as many lines as it needs, and Enter takes the sentence as it does in one line. */

const FIELD = ":is(.st-key-text, .st-key-second) textarea";

/** Whether a key means: take it. Shift and Enter begin a new line; while letters are still composed, Enter is theirs. */
export function takes(event) {
  return (
    event.key === "Enter" && !(event.shiftKey || event.ctrlKey || event.metaKey || event.altKey || event.isComposing)
  );
}

/** From now on Enter in the field does what Streamlit does on Ctrl and Enter. */
export function enterTakes(page) {
  const pressed = (event) => {
    if (!takes(event) || !event.target.matches?.(FIELD)) return;
    event.preventDefault();
    event.stopPropagation();
    event.target.dispatchEvent(
      new KeyboardEvent("keydown", { key: "Enter", code: "Enter", ctrlKey: true, bubbles: true, cancelable: true }),
    );
  };
  page.addEventListener("keydown", pressed, { capture: true });
}
