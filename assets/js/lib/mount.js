/** How Streamlit and a component's view meet: its files, asked for once a page, and one view for each place on it. */

import inflate from "../vendor/tiny_inflate.js";
import { openEnvelope } from "./envelope.js";

const FILES = new URL("../../", import.meta.url); // of this version of the app
const asked = new Map();

/**
 * A component for Streamlit, once everything is there that its first drawing needs.
 * @param {string} module what makes a view, in js/ @param {string[]} sheets their names in css/
 */
export async function component(module, sheets) {
  const [view, tokens, ...styles] = await Promise.all([
    import(new URL(`js/${module}`, FILES).href),
    once("tokens.json", (answer) => answer.json()),
    ...sheets.map((name) => once(`css/${name}.css`, styleSheet)),
  ]);
  return mounted((parent) => {
    /** @type {ShadowRoot | Document} */ (parent.getRootNode()).adoptedStyleSheets = styles;
    tellDrawn(parent);
    return view.default(parent, tokens);
  });
}

/**
 * The function that Streamlit calls with the component's data; what it returns is called when the place goes.
 * @param {(parent: Element) => {update: (data: any, setTriggerValue: Tell) => void, close: () => void}} create
 */
export function mounted(create) {
  const views = new WeakMap();
  return ({ data, parentElement, setTriggerValue }) => {
    if (!views.has(parentElement)) {
      parentElement.closeView?.(); // what an earlier version of the app has drawn here, which Streamlit leaves standing
      const view = create(parentElement);
      views.set(parentElement, view);
      parentElement.closeView = () => view.close();
    }
    views.get(parentElement).update(given(data), setTriggerValue);
    return () => {
      views.get(parentElement)?.close();
      views.delete(parentElement);
    };
  };
}

/** Says on the element that the page sees when a view stands: once its root is ready, which may wait for fonts. */
function tellDrawn(parent) {
  const { host } = parent.getRootNode();
  const look = () => {
    if (!parent.querySelector(".parallax[data-ready]")) return;
    host?.setAttribute("data-drawn", "");
    watching.disconnect();
  };
  const watching = new MutationObserver(look);
  watching.observe(parent, { subtree: true, childList: true, attributes: true, attributeFilter: ["data-ready"] });
}

/**
 * What a view is handed of what was sent (`mha/views/component_data.py`): bytes are JSON, which has no zero in it, or
 * an envelope, whose fourth byte is a zero, for its header has fewer than 16 million; behind four zeros they are
 * compressed. They are unpacked at once: what a browser unpacks itself comes back behind whatever
 * Streamlit draws meanwhile, a quarter of a second later.
 * @param {any} data
 */
export function given(data) {
  if (!(data instanceof Uint8Array) || data.length < 2) return data;
  if (data.length > 8 && data.subarray(0, 4).every((byte) => byte === 0)) return given(unpacked(data));
  return data[3] !== 0 ? JSON.parse(new TextDecoder().decode(data)) : openEnvelope(data);
}

/** What was compressed: its length stands behind the zeros, and it behind its length. */
function unpacked(bytes) {
  const length = new DataView(bytes.buffer, bytes.byteOffset).getUint32(4, true);
  return inflate(bytes.subarray(8), new Uint8Array(length));
}

/** What stands at a path of this version; many places that ask at once share the answer, a failure is not kept. */
function once(path, read) {
  if (!asked.has(path)) {
    const answer = fetch(new URL(path, FILES)).then((found) => {
      if (!found.ok) throw new Error(`${path} answered ${found.status}`);
      return read(found);
    });
    answer.catch(() => asked.delete(path));
    asked.set(path, answer);
  }
  return asked.get(path);
}

/** A style sheet that places can share. */
const styleSheet = async (answer) => new CSSStyleSheet().replace(await answer.text());
