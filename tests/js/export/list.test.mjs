import assert from "node:assert/strict";
import { test } from "node:test";

import createExport from "../../../assets/js/export/export.js";

const theme = { background: "#ffffff", sequential: ["#ffffff", "#000000"], diverging: ["#000000"], carried: ["#000000"], a: {}, b: {} };
const tokens = { light: theme, dark: theme };

/** An element with as much of the document as the list needs. */
function made(name = "div") {
  const node = Object.assign(new (class Node {})(), {
    localName: name, children: [], style: { setProperty() {} }, shadowRoot: null, classList: [],
    setAttribute() {}, addEventListener() {}, remove() {},
    append: (...added) => node.children.push(...added),
    appendChild: (child) => (node.children.push(child), child),
    replaceChildren: (...children) => (node.children = children),
    matches: (selector) => selector === ".js-plotly-plot" && name === "chart",
    closest: () => null,
    querySelector: () => null,
    getBoundingClientRect: () => ({ width: 400, height: 200 }),
  });
  return node;
}

/** The texts of the list on a page with these charts. */
function texts(charts) {
  const main = { querySelectorAll: () => charts };
  globalThis.getComputedStyle = () => ({ getPropertyValue: () => "", color: "rgb(0, 0, 0)", backgroundColor: "rgb(255, 255, 255)" });
  globalThis.document = { createElement: made, querySelector: () => main, body: main };
  const parent = made();
  createExport(parent, tokens).update({ title: "Questions", source: "Made with Parallax." });
  const below = (node) => (typeof node === "string" ? [node] : node.children.flatMap(below));
  return below(parent);
}

test("a page without a picture has no heading for pictures", () => {
  assert.deepEqual(texts([]), []);
  assert.deepEqual(texts([made("chart")]), ["Pictures (as shown now)", "Questions", "SVG", "PNG"]);
});
