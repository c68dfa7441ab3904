/**
 * Why a file was not taken, said below its field. Streamlit's own field turns red, and says why on pointing alone: what
 * it found itself, or that there was a number in the server's answer. What the server says in it is one sentence.
 */

const FIELD = '[data-testid="stFileUploader"]';
const FILE = '[data-testid="stFileChip"]'; // a refused one stays there beside the next
const WHY = '[role="alert"]'; // Streamlit's own reason, out of sight
const ROUTE = "/_stcore/upload_file/";
const NOTE = "refused-file";
const BROKE_OFF = "Your file did not come through: the connection broke off. Please try again.";
const NOT_TAKEN = "The server did not take your file. Please reload the page and try again.";

/**
 * What to say below a field.
 * @param {string} why Streamlit's own reason, "" where nothing was refused
 * @param {{status: number, type: string, text: string} | null} answer the server's to the last file, where it refused one
 * @param {string} takes what the field's own input accepts
 */
export function sentence(why, answer, takes = "") {
  const own = why.replace(/^Error: /, "");
  const endings = takes.split(",").filter((one) => one.startsWith("."));
  // of another kind, which it names by the browser's word for it, or not at all
  if (/files are not allowed\.$/.test(own) && endings.length) return `This field takes ${endings.join(" and ")} files.`;
  if (!/^\w*Error\b/.test(own)) return own; // found by the field: too large
  if (!answer || answer.status === 0) return BROKE_OFF;
  return answer.type.startsWith("text/plain") && /^[A-Z].*\s.*\.$/s.test(answer.text) && answer.status !== 404
    ? answer.text
    : NOT_TAKEN;
}

/** From now on a field of a page says why it did not take a file. @param {typeof globalThis} window */
export function sayWhyRefused({ document: page, XMLHttpRequest: Asked, MutationObserver: Watching }) {
  const followed = new WeakSet();
  const said = new WeakMap(); // what was said of each refused file
  let answer = null;

  const open = Asked.prototype.open;
  Asked.prototype.open = function (method, address, ...more) {
    if (method.toUpperCase() === "PUT" && String(address).includes(ROUTE)) {
      answer = null;
      this.addEventListener("loadend", () => {
        answer = {
          status: this.status,
          type: this.getResponseHeader("content-type") ?? "",
          text: this.status ? this.responseText : "",
        };
      });
    }
    return open.call(this, method, address, ...more);
  };

  function say(field) {
    const why = [...field.querySelectorAll(FILE)].at(-1)?.querySelector(WHY);
    if (why && !said.has(why)) said.set(why, sentence(why.textContent, answer, field.querySelector("input")?.accept));
    const text = why ? said.get(why) : "";
    const note = field.querySelector(`.${NOTE}`);
    if ((note?.textContent ?? "") === text) return;
    note?.remove();
    if (text) field.append(Object.assign(page.createElement("p"), { className: NOTE, textContent: text }));
  }

  function follow({ target }) {
    const field = target.closest?.(FIELD);
    if (!field || followed.has(field)) return;
    followed.add(field);
    new Watching(() => say(field)).observe(field, { childList: true, subtree: true, characterData: true });
  }
  for (const deed of ["change", "drop"]) page.addEventListener(deed, follow, { capture: true });
}
