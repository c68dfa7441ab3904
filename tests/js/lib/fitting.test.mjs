import assert from "node:assert/strict";
import { test } from "node:test";

import { fitting } from "../../../assets/js/lib/fitting.js";

/** What is observed on a page: each node with what is called of it. */
function observing() {
  const told = new Map();
  globalThis.ResizeObserver = class {
    constructor(callback) {
      this.callback = callback;
    }
    observe(node) {
      told.set(node, (width) => this.callback([{ contentRect: { width } }]));
      this.node = node;
    }
    disconnect() {
      told.delete(this.node);
    }
  };
  return told;
}

/** What a page on a screen has of fonts; `tell` says that one more is there. */
function fonts() {
  const listeners = [];
  const load = (font) => (font === "missing" ? Promise.reject(new Error(font)) : Promise.resolve());
  const addEventListener = (name, told, { signal }) => listeners.push(() => signal.aborted || told());
  const createElement = () => ({ setAttribute() {}, append() {} });
  return { tell: () => listeners.forEach((told) => told()), document: { createElement, fonts: { load, addEventListener }, documentElement: { classList: { contains: () => false } } } };
}

test("what is drawn for another width on paper is made to fit it again", () => {
  const observed = observing();
  const page = fonts().document;
  globalThis.document = page;
  page.documentElement.classList.contains = () => true;
  const picture = { style: {}, clientWidth: 700, scrollWidth: 1000 };
  const root = { querySelectorAll: () => [picture], append() {} };
  fitting(root, [], new AbortController().signal, { resized: () => (picture.style.zoom = "drawn anew"), ready: () => {} });
  observed.get(root)(700);
  assert.equal(picture.style.zoom, 0.7);
});

test("a new width is told once in whole px, fonts once, and nothing after the end", async () => {
  const observed = observing();
  const page = fonts();
  globalThis.document = page.document;
  const told = [];
  const [stop, stopped] = [new AbortController(), new AbortController()];
  const calls = { resized: (width) => told.push(width), ready: () => told.push("ready") };
  const root = { append() {} };
  fitting(root, ["here", "missing"], stop.signal, calls);
  [0, 640.7, 640.2, 390].forEach(observed.get(root));
  assert.deepEqual(told, [640, 390]);
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [640, 390, "ready"]);
  page.tell(); // a word in other letters has brought another font
  assert.deepEqual(told, [640, 390, "ready", "ready"]);
  stop.abort();
  page.tell();
  assert.equal(observed.size, 0);
  fitting({ append() {} }, [], stopped.signal, calls);
  stopped.abort();
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, [640, 390, "ready", "ready"]);
});

test("another screen is told, and the one after it, which canvases are drawn for", () => {
  observing();
  globalThis.document = fonts().document;
  const asked = [];
  globalThis.matchMedia = (query) => {
    const screen = new EventTarget();
    asked.push([query, () => screen.dispatchEvent(new Event("change"))]);
    return screen;
  };
  const told = [];
  const stop = new AbortController();
  const root = { append() {}, clientWidth: 640, querySelectorAll: () => [] };
  globalThis.devicePixelRatio = 1;
  fitting(root, [], stop.signal, { resized: (width) => told.push(width), ready: () => {} });
  globalThis.devicePixelRatio = 2;
  asked[0][1]();
  asked[0][1](); // which is no more listened to
  globalThis.devicePixelRatio = 1.5;
  asked[1][1]();
  assert.deepEqual(asked.map(([query]) => query), ["(resolution: 1dppx)", "(resolution: 2dppx)", "(resolution: 1.5dppx)"]);
  assert.deepEqual(told, [640, 640]);
  stop.abort();
  asked[2][1]();
  assert.deepEqual(told, [640, 640]);
  delete globalThis.matchMedia;
  delete globalThis.devicePixelRatio;
});

test("letters that are set otherwise are told, and not that they are hidden and seen again", async () => {
  const observed = observing();
  globalThis.document = fonts().document;
  const told = [];
  let letters = null;
  fitting({ append: (node) => (letters = node) }, [], new AbortController().signal, { resized: () => {}, ready: () => told.push("ready") });
  await new Promise((resolve) => setTimeout(resolve));
  assert.deepEqual(told, ["ready"]);
  [90, 0, 90].forEach(observed.get(letters));
  assert.deepEqual(told, ["ready"]);
  observed.get(letters)(111.5); // more space between them
  assert.deepEqual(told, ["ready", "ready"]);
});
