import assert from "node:assert/strict";
import { test } from "node:test";

import { scaleFor, serialised, svgFile, treeOf } from "../../../assets/js/lib/picture.js";

const mark = (name, attributes = {}, ...children) => ({ name, attributes, children });

test("marks and texts are written, the reader's words as text", () => {
  const tree = mark("g", { transform: "translate(1,2)" }, mark("text", { x: 3 }, '<b> & "é" 漢 🙂'));
  assert.equal(serialised(tree), '<g transform="translate(1,2)"><text x="3">&lt;b&gt; &amp; &quot;é&quot; 漢 🙂</text></g>');
});

test("nothing that runs or is fetched goes along", () => {
  const tree = mark(
    "g",
    { onclick: "x()", style: "fill:url(http://x)", class: "a", "data-act": "L0H0", fill: "url(http://x/y)", stroke: "url(#hatch)", 'a"b': "c" },
    mark("script", {}, "alert(1)"),
    mark("foreignObject", {}, mark("iframe", { src: "http://x" })),
    mark("image", { href: "http://x/y.png" }),
    mark("image", { href: "data:image/png;base64,AAAA", "xlink:href": "http://x" }),
    mark("image", { href: "data:image/svg+xml;base64,AAAA" }),
  );
  assert.equal(serialised(tree), '<g stroke="url(#hatch)"><image></image><image href="data:image/png;base64,AAAA"></image><image></image></g>');
});

test("halves of letters and control signs cannot spoil the file", () => {
  assert.equal(serialised(mark("text", {}, "a\ud800b\u0000c\udc00🙂")), "<text>a\ufffdb\ufffdc\ufffd🙂</text>");
});

test("a file has its size, its ground, what it shows and where it comes from", () => {
  const text = svgFile(mark("svg", { viewBox: "0 0 9 9", role: "img" }, mark("circle", { r: 1 })), { width: 30, height: 20, background: "#fff", title: "<x>", source: "MiniLM" });
  assert.match(text, /^<\?xml version="1.0" encoding="UTF-8"\?>\n<svg /);
  assert.match(text, /xmlns="http:\/\/www.w3.org\/2000\/svg" width="30" height="20"|viewBox="0 0 9 9"/);
  assert.match(text, /<title>&lt;x&gt;. MiniLM<\/title><rect width="30" height="20" fill="#fff"><\/rect><circle r="1"><\/circle><\/svg>\n$/);
});

test("a title that is a sentence gets no second mark before the source", () => {
  const titles = ["Next word", "Paris falls.", "Which heads matter?"].map((title) => svgFile(mark("svg", {}), { width: 3, height: 2, background: "#fff", title, source: "MiniLM" }).match(/<title>(.*)<\/title>/)?.[1]);
  assert.deepEqual(titles, ["Next word. MiniLM", "Paris falls. MiniLM", "Which heads matter? MiniLM"]);
});

test("very large pictures get fewer px, small ones two for one", () => {
  assert.equal(scaleFor(1000, 1000), 2);
  const scale = scaleFor(8000, 16000);
  assert.ok(scale < 1 && scale * scale * 8000 * 16000 <= 32_000_001);
});

test("styles of the page are written onto the marks", () => {
  const text = { nodeType: 3, data: "word" };
  const node = { nodeType: 1, localName: "text", attributes: [{ name: "x", value: "1" }], childNodes: [text, { nodeType: 8 }] };
  const style = { getPropertyValue: (name) => (name === "fill" ? "rgb(1, 2, 3)" : "") };
  assert.deepEqual(treeOf(node, () => style), { name: "text", attributes: { x: "1", fill: "rgb(1, 2, 3)" }, children: ["word"] });
});
