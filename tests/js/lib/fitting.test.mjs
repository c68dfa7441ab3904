import assert from "node:assert/strict";
import { test } from "node:test";

import { fitting } from "../../../assets/js/lib/fitting.js";

/** What a page on a screen has of fonts; `tell` says that one more is there. */
function fonts() {
  const listeners = [];
  const load = (font) => (font === "missing" ? Promise.reject(new Error(font)) : Promise.resolve());
  const addEventListener = (name, told, { signal }) => listeners.push(() => signal.aborted || told());
  return { tell: () => listeners.forEach((told) => told()), document: { fonts: { load, addEventListener }, documentElement: { classList: { contains: () => false } } } };
}

test("what is drawn for another width on paper is made to fit it again", () => {
  let observe;
  globalThis.ResizeObserver = class {
    constructor(callback) {
      observe = (width) => callback([{ contentRect: { width } }]);
    }
    observe() {}
    disconnect() {}
  };
  const page = fonts().document;
  globalThis.document = page;
  page.documentElement.classList.contains = () => true;
  const picture = { style: {}, clientWidth: 700, scrollWidth: 1000 };
  const root = { querySelectorAll: () => [picture] };
  fitting(root, [], new AbortController().signal, { resized: () => (picture.style.zoom = "drawn anew"), ready: () => {} });
  observe(700);
  assert.equal(picture.style.zoom, 0.7);
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
  page.tell(); // a word in other letters has brought another font
  assert.deepEqual(told, [640, 390, "ready", "ready"]);
  stop.abort();
  page.tell();
  observe(512);
  fitting({}, [], stopped.signal, calls);
  stopped.abort();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [640, 390, "ready", "ready"]);
});
