import assert from "node:assert/strict";
import test from "node:test";

import { completeLinks } from "../../../assets/js/page/links.js";

/** @returns {[any, any]} a document and a link in it, which `closest` finds if its address has no path */
function pageWith(address) {
  const link = {
    href: address,
    getAttribute: () => link.href,
    setAttribute: (_, value) => (link.href = value),
    closest: (selector) => (selector.includes('[href^="?"]') && !link.href.startsWith("?") ? null : link),
  };
  return [new EventTarget(), link];
}

/** Something meant for the link, before the browser acts on it. */
function mean(document, kind, target, keys = {}) {
  let stopped = false;
  const event = Object.assign(new Event(kind), { stopPropagation: () => (stopped = true) }, keys);
  Object.defineProperty(event, "target", { value: target });
  document.dispatchEvent(event);
  return stopped;
}

for (const kind of ["pointerdown", "keydown"])
  test(`a link without a path leads to the first page from any other, by ${kind}`, () => {
    const [document, link] = pageWith("?v=1&pins=L0H1");
    completeLinks(document);
    mean(document, kind, link);
    mean(document, kind, link);
    assert.equal(link.href, "./?v=1&pins=L0H1");
    assert.equal(new URL(link.href, "http://host/base/steps").pathname, "/base/");
  });

test("a click with Ctrl is the browser's, a plain one Streamlit's", () => {
  const [document, link] = pageWith("next?v=1");
  completeLinks(document);
  assert.equal(mean(document, "click", link), false);
  assert.equal(mean(document, "click", link, { ctrlKey: true }), true);
  assert.equal(mean(document, "click", link, { metaKey: true }), true);
});

test("a link to another page stays", () => {
  const [document, link] = pageWith("next?v=1");
  completeLinks(document);
  mean(document, "pointerdown", link);
  assert.equal(link.href, "next?v=1");
});
