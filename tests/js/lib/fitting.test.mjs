import assert from "node:assert/strict";
import { test } from "node:test";

import { fitting } from "../../../assets/js/lib/fitting.js";

const LATIN = "U+20-7E";

/** What a page has of fonts: those that Streamlit declares whole, and parts of them; `tell` says that one more is there. */
function fonts(...faces) {
  const asked = [];
  const all = faces.map(([family, style, unicodeRange]) => ({ family, style, unicodeRange, load: async () => asked.push(`${style} ${family} ${unicodeRange}`) }));
  const listeners = [];
  const more = {
    load: (font) => (font === "missing" ? Promise.reject(new Error(font)) : Promise.resolve(asked.push(font))),
    addEventListener: (name, told, { signal }) => listeners.push(() => signal.aborted || told()),
  };
  return { asked, tell: () => listeners.forEach((told) => told()), document: { fonts: Object.assign(all, more) } };
}

test("of a font that is declared in parts the part alone is loaded", async () => {
  globalThis.ResizeObserver = class { observe() {} disconnect() {} };
  const page = fonts(["Serif", "normal", "U+0-10FFFF"], ["Serif", "italic", "U+0-10FFFF"], ['"Serif"', "normal", LATIN], ['"Serif"', "italic", LATIN], ["Code", "normal", "U+0-10FFFF"]);
  globalThis.document = page.document;
  let ready = 0;
  fitting({}, ['400 20px "Serif"', 'italic 400 20px "Serif"', '500 13px "Code"'], new AbortController().signal, { resized() {}, ready: () => ready++ });
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(page.asked.sort(), ['500 13px "Code"', `italic "Serif" ${LATIN}`, `normal "Serif" ${LATIN}`]);
  assert.equal(ready, 1);
  page.tell(); // a word in other letters has brought the whole font
  assert.equal(ready, 2);
});

test("a new width is told once in whole px, fonts once, and nothing after the end", async () => {
  let observe;
  let watching = false;
  globalThis.ResizeObserver = class {
    constructor(callback) {
      observe = (width) => watching && callback([{ contentRect: { width } }]);
    }
    observe() {
      watching = true;
    }
    disconnect() {
      watching = false;
    }
  };
  const page = fonts();
  globalThis.document = page.document;
  const told = [];
  const [stop, stopped] = [new AbortController(), new AbortController()];
  const calls = { resized: (width) => told.push(width), ready: () => told.push("ready") };
  fitting({}, ["here", "missing"], stop.signal, calls);
  [0, 640.7, 640.2, 390].forEach(observe);
  assert.deepEqual(told, [640, 390]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [640, 390, "ready"]);
  stop.abort();
  page.tell();
  observe(512);
  fitting({}, [], stopped.signal, calls);
  stopped.abort();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [640, 390, "ready"]);
});
