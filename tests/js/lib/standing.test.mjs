import assert from "node:assert/strict";
import { test } from "node:test";

import { standing, widthOf } from "../../../assets/js/lib/standing.js";

const theme = { background: "#ffffff", sequential: ["#ffffff", "#000000"], diverging: ["#000000"], carried: ["#000000"], a: {}, b: {} };
const tokens = { light: theme, dark: { ...theme, background: "#000000" } };

/** A place of this width on a page, and what its view has done; `resize` lays it out anew. */
function place(width, options = {}) {
  const done = [];
  let observed = () => {};
  globalThis.ResizeObserver = class {
    constructor(callback) {
      this.callback = callback;
    }
    observe(node) {
      if (node === root) observed = this.callback;
    }
    disconnect() {}
  };
  globalThis.document = { createElement: () => ({ setAttribute() {}, append() {} }), fonts: { load: () => Promise.resolve(), addEventListener() {} }, documentElement: { classList: { contains: () => false } } };
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  const root = { clientWidth: width, dataset: {}, style: { setProperty() {} }, classList: { toggle: (name, on) => done.push(`${name} ${on}`) }, addEventListener() {}, append() {}, remove: () => done.push("gone") };
  const look = standing(root, tokens, { fonts: ["one"], draw: () => done.push(`drawn ${look.width}`), measure: () => done.push("measured"), ...options });
  return { root, look, done, told: (name, value) => done.push(`${name} ${value}`), resize: (next) => observed([{ contentRect: { width: next } }]) };
}

const later = () => new Promise((resolve) => setTimeout(resolve));

test("a view is drawn once there is something to draw, and stands once its fonts are there", async () => {
  const { root, look, done, told, resize } = place(700.4);
  resize(700);
  assert.deepEqual(done, []);
  look.update(() => {}, told);
  assert.deepEqual(done, ["narrow false", "drawn 700"]);
  assert.equal(root.dataset.ready, undefined);
  done.length = 0;
  await later();
  assert.deepEqual(done, ["measured", "narrow false", "drawn 700", "screen wide"]);
  assert.equal(root.dataset.ready, "");
});

test("one that waits for its fonts is not drawn before", async () => {
  const { look, done } = place(390, { waits: true });
  look.update(() => {});
  assert.deepEqual(done, []);
  await later();
  assert.deepEqual(done, ["measured", "narrow true", "drawn 390"]);
});

test("one whose data come behind its fonts stands too", async () => {
  const { root, look, done, told } = place(700);
  await later();
  assert.deepEqual(done, []);
  look.update(() => {}, told);
  assert.deepEqual(done, ["measured", "narrow false", "drawn 700", "screen wide"]);
  assert.equal(root.dataset.ready, "");
});

test("another width draws it again; the page is told of another screen, and of each once", async () => {
  const { root, look, done, told, resize } = place(700);
  look.update(() => {}, told);
  await later();
  done.length = 0;
  root.clientWidth = 390;
  resize(390.9);
  resize(390.2);
  look.update(() => {}, told);
  assert.deepEqual(done, ["narrow true", "drawn 390", "screen narrow", "narrow true", "drawn 390"]);
  look.close();
  assert.equal(done.at(-1), "gone");
});

test("what is not laid out keeps the width that it had", () => {
  assert.equal(widthOf({ clientWidth: 512.9 }, 3), 512);
  assert.equal(widthOf({ clientWidth: 0 }, 640), 640);
});
