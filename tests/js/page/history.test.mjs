import assert from "node:assert/strict";
import test from "node:test";
import { oneStepForADeed } from "../../../assets/js/page/history.js";

/** A window whose history is a list of addresses. */
function browser(start) {
  const listeners = {};
  const steps = [start];
  const found = {
    steps,
    history: { pushState: (_, __, address) => steps.push(address), replaceState: (_, __, address) => (steps[steps.length - 1] = address) },
    addEventListener: (name, listener) => (listeners[name] = listener),
    happens: (name) => listeners[name]?.(),
    writes: (address) => found.history.pushState({}, "", address),
  };
  oneStepForADeed(found);
  return found;
}

test("what a page writes as it opens is no step of its own", () => {
  const page = browser("/");
  page.writes("/?v=1");
  page.writes("/?v=1&text=A+dog");
  assert.deepEqual(page.steps, ["/?v=1&text=A+dog"]);
});

test("what the reader does is one", () => {
  const page = browser("/");
  page.writes("/?v=1");
  page.happens("pointerdown");
  page.writes("/?v=1&pins=L0H0");
  page.happens("keydown");
  page.writes("/?v=1");
  assert.deepEqual(page.steps, ["/?v=1", "/?v=1&pins=L0H0", "/?v=1"]);
});

test("another page is a step, with the words that are left behind and those that it opens with", () => {
  const page = browser("/?v=1&lock=3");
  page.happens("pointerdown");
  page.writes("/?v=1");
  page.writes("/readings?v=1");
  page.writes("/readings?v=1&text=A+dog");
  page.happens("keydown");
  page.writes("/readings?v=1&text=A+dog&tab=x");
  assert.deepEqual(page.steps, ["/?v=1&lock=3", "/readings?v=1&text=A+dog", "/readings?v=1&text=A+dog&tab=x"]);
});

test("a step back is an arrival", () => {
  const page = browser("/?v=1");
  page.happens("pointerdown");
  page.happens("popstate");
  page.writes("/?v=1&lock=3");
  assert.deepEqual(page.steps, ["/?v=1&lock=3"]);
});
