import assert from "node:assert/strict";
import test from "node:test";
import { reachPopovers, reached } from "../../../assets/js/page/popovers.js";

test("the Tab key reaches what is drawn, not switched off, and a stop", () => {
  const node = (name, tabIndex = 0, disabled = false, drawn = 1) => ({ name, tabIndex, disabled, getClientRects: () => new Array(drawn) });
  const place = { querySelectorAll: () => [node("hidden", 0, false, 0), node("off", 0, true), node("roving", -1), node("first"), node("last")] };
  assert.deepEqual(reached(place).map(({ name }) => name), ["first", "last"]);
});

/** A page with one popover; `frame` is the next frame of the browser, `press` a key. */
function pageOfOne() {
  const heard = { click: [], keydown: [] };
  const frames = [];
  globalThis.requestAnimationFrame = (draw) => frames.push(draw);
  const able = { tabIndex: 0, isConnected: true, getClientRects: () => [1], focus() { page.activeElement = this; } };
  const button = { ...able, open: "false", closest: () => button, getAttribute: () => button.open };
  const control = { ...able };
  const page = {
    activeElement: null,
    addEventListener: (name, listener) => heard[name].push(listener),
    querySelector: () => (button.open === "true" ? { querySelectorAll: () => [control] } : null),
    createElement: () => ({ querySelectorAll: () => [] }),
  };
  reachPopovers(page);
  button.focus();
  heard.click.forEach((listener) => listener({ target: button }));
  const frame = () => frames.splice(0).forEach((draw) => draw());
  const press = (key) => heard.keydown.forEach((listener) => listener({ key, target: page.activeElement, closest: () => null }));
  return { page, button, control, frame, press };
}

test("the focus goes into a popover once it is there", () => {
  const { page, button, control, frame } = pageOfOne();
  frame();
  assert.equal(page.activeElement, button);
  button.open = "true";
  frame();
  assert.equal(page.activeElement, control);
});

test("the focus stays on the button of a popover that Escape closed while it opened", () => {
  const { page, button, frame, press } = pageOfOne();
  frame();
  press("Escape");
  button.open = "true"; // the run that filled it opens it once more
  frame();
  assert.equal(page.activeElement, button);
});
