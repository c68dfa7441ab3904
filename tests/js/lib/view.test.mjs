import assert from "node:assert/strict";
import { test } from "node:test";

import { viewOf, widthOf } from "../../../assets/js/lib/view.js";

const theme = { background: "#ffffff", sequential: ["#ffffff", "#000000"], diverging: ["#000000"], carried: ["#000000"], a: {}, b: {} };
const tokens = { light: theme, dark: { ...theme, background: "#000000" } };

/** A place of this width on a page, and what its view has done; `resize` lays it out anew. */
function place(width, buttons = []) {
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
  const around = { activeElement: null };
  globalThis.document = { createElement: () => ({ setAttribute() {}, append() {} }), fonts: { load: () => Promise.resolve(), addEventListener() {} }, documentElement: { classList: { contains: () => false } } };
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "" });
  const root = { clientWidth: width, dataset: {}, style: { setProperty() {} }, classList: { toggle: (name, on) => done.push(`${name} ${on}`) }, addEventListener() {}, append() {}, remove: () => done.push("gone"), getRootNode: () => around, querySelectorAll: () => buttons };
  const draw = (data) => {
    around.activeElement = null; // what is drawn anew loses the focus
    done.push(`drawn ${data} ${view.width}`);
  };
  const view = viewOf({ append() {} }, root, tokens, draw, { fonts: ["one"], measure: () => done.push("measured") });
  return { root, view, done, around, resize: (next) => observed([{ contentRect: { width: (root.clientWidth = next) } }]) };
}

const later = () => new Promise((resolve) => setTimeout(resolve));

test("a view is drawn once there is something to draw, and stands once its fonts are there", async () => {
  const { root, view, done, resize } = place(700.4);
  resize(700);
  assert.deepEqual(done, []);
  view.update("A", () => {});
  assert.deepEqual(done, ["narrow false", "drawn A 700"]);
  assert.equal(root.dataset.ready, undefined);
  done.length = 0;
  await later();
  assert.deepEqual(done, ["measured", "narrow false", "drawn A 700"]);
  assert.equal(root.dataset.ready, "");
});

test("one whose data come behind its fonts stands too, and events go to whoever gave the newest", async () => {
  const { root, view, done } = place(700);
  await later();
  assert.deepEqual(done, ["measured"]);
  view.update("A", () => {});
  view.update("B", (name, value) => done.push([name, value]));
  view.send("head", "L0H1");
  assert.deepEqual(done.slice(-2), ["drawn B 700", ["head", "L0H1"]]);
  assert.equal(root.dataset.ready, "");
});

test("another width draws it again", async () => {
  const { view, done, resize } = place(700);
  view.update("A", () => {});
  await later();
  done.length = 0;
  resize(390.9);
  resize(390.2);
  assert.deepEqual(done, ["narrow true", "drawn A 390"]);
  view.close();
  assert.equal(done.at(-1), "gone");
});

test("a button that is drawn anew keeps the focus", () => {
  const focused = [];
  const buttons = [0, 1].map((number) => ({ focus: () => focused.push(number) }));
  const { view, around } = place(700, buttons);
  around.activeElement = buttons[1];
  view.update("A", () => {});
  assert.deepEqual(focused, [1]);
});

test("what is not laid out keeps the width that it had", () => {
  assert.equal(widthOf({ clientWidth: 512.9 }, 3), 512);
  assert.equal(widthOf({ clientWidth: 0 }, 640), 640);
});
