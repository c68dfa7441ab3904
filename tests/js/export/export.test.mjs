import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import { test } from "node:test";

import { facesIn } from "../../../assets/js/export/fonts.js";
import { fileName, numbered } from "../../../assets/js/export/found.js";
import { LEFT_OUT, asLines, boxMarks, folded, inked, turnOf } from "../../../assets/js/export/marks.js";

const at = (text, left, right, top) => ({ text, left, right, top, bottom: top + 10 });
const style = (values) => (name) => values[name] ?? "";

test("letters on one height are a line, also where they run both ways", () => {
  const lines = (...letters) => asLines(letters).map(({ text, left, right }) => [text, left, right]);
  assert.deepEqual(lines(at("a", 0, 8, 0), at(" ", 8, 10, 0), at("b", 10, 18, 0.4), at("c", 0, 7, 14)), [["a b", 0, 18], ["c", 0, 7]]);
  assert.deepEqual(lines(at("ו", 12, 20, 0), at("-", 8, 12, 0), at("f", 0, 8, 0)), [["ו-f", 0, 20]]);
  assert.deepEqual(lines(at("a", 0, 8, 0), at("\u0308", 0, 0, 0), at(" ", 0, 4, 14)), [["a\u0308", 0, 8]]);
});

test("where a picture comes from stays on its sheet, however long the text is", () => {
  const gauge = (text) => text.length;
  assert.deepEqual(folded("seen in one line", 20, gauge), ["seen in one line"]);
  assert.deepEqual(folded("seen in two lines", 11, gauge), ["seen in two", "lines"]);
  assert.deepEqual(folded("a 漢字漢字漢字 b", 4, gauge), ["a", "漢字漢字", "漢字 b"]);
  for (const line of folded("Donaudampfschifffahrt sank ".repeat(9).trim(), 16, gauge)) assert.ok(line.length <= 16, line);
});

test("what a sheet turns or mirrors is turned and mirrored about the same point, and what it moves is not", () => {
  const place = { left: 10, top: 20 };
  for (const straight of ["none", "matrix(1, 0, 0, 1, 0, -2)", "matrix(0.5, 0, 0, 0.5, 0, 0)"])
    assert.equal(turnOf(straight, "5px 5px", place), null, straight);
  assert.equal(turnOf("matrix(-1, 0, 0, 1, 0, 0)", "5px 4px", place), "translate(15 24) matrix(-1, 0, 0, 1, 0, 0) translate(-15 -24)");
  assert.ok(turnOf("matrix(0.7, -0.7, 0.7, 0.7, 0, 0)", "0px 8px", place)?.startsWith("translate(10 28) matrix(0.7"));
});

test("a colour leaves a mark unless it is seen through", () => {
  for (const colour of ["rgb(1, 2, 3)", "rgba(1, 2, 3, 0.5)", "color(srgb 1 0 0)"]) assert.ok(inked(colour), colour);
  for (const colour of ["", "transparent", "rgba(0, 0, 0, 0)", "color(srgb 1 0 0 / 0)"]) assert.ok(!inked(colour), colour);
});

test("a box is its ground, its edges and its ring", () => {
  const place = { left: 10, top: 20, width: 30, height: 40 };
  assert.deepEqual(boxMarks(place, style({})), []);
  const [ground] = boxMarks(place, style({ "background-color": "rgb(1, 2, 3)", "border-top-left-radius": "6px" }));
  assert.deepEqual(ground.attributes, { x: "10", y: "20", width: "30", height: "40", rx: "6", fill: "rgb(1, 2, 3)" });
  const [line, ...more] = boxMarks(place, style({ "border-bottom-width": "2px", "border-bottom-style": "solid", "border-bottom-color": "rgb(0, 0, 0)" }));
  assert.deepEqual(more, []);
  assert.deepEqual([line.name, line.attributes.x1, line.attributes.y1, line.attributes.x2, line.attributes.y2], ["line", "10", "59", "40", "59"]);
  const [ring] = boxMarks(place, style({ "outline-width": "2px", "outline-style": "dashed", "outline-color": "rgb(0, 0, 0)", "outline-offset": "2px" }));
  assert.deepEqual([ring.attributes.x, ring.attributes.width, ring.attributes["stroke-dasharray"]], ["7", "36", "6 4"]);
});

test("a shadow without blur is a line inside of a box or a ring; a blurred one is left out", () => {
  const place = { left: 0, top: 0, width: 20, height: 10 };
  const [line] = boxMarks(place, style({ "box-shadow": "rgb(1, 2, 3) 0px -3px 0px 0px inset" }));
  assert.deepEqual(line.attributes, { x: "0", y: "7", width: "20", height: "3", fill: "rgb(1, 2, 3)" });
  const [ring] = boxMarks(place, style({ "box-shadow": "rgb(1, 2, 3) 0px 0px 0px 2px inset" }));
  assert.deepEqual([ring.attributes.x, ring.attributes.width, ring.attributes["stroke-width"]], ["1", "18", "2"]);
  assert.deepEqual(boxMarks(place, style({ "box-shadow": "rgba(0, 0, 0, 0.2) 0px 2px 8px 0px" })), []);
});

test("pictures under one heading are told apart", () => {
  assert.deepEqual(numbered([{ title: "A" }, { title: "B" }, { title: "A" }, { title: "" }]).map(({ title }) => title), ["A (1)", "B", "A (2)", ""]);
});

test("file names are of letters that every system takes", () => {
  assert.equal(fileName("Two readings", "Äpfel: “=1+1”/../x"), "parallax-two-readings-a-pfel-1-1-x");
  assert.equal(fileName("", "漢字"), "parallax-picture");
  assert.ok(fileName("x".repeat(200)).length < 80);
  const names = numbered([{ title: "x".repeat(200) }, { title: "x".repeat(200) }]).map(({ title }) => fileName("A page", title));
  assert.equal(new Set(names).size, 2, "a long heading keeps the number of its picture");
  assert.ok(names[1].endsWith("-2"));
});

test("a picture takes along the fonts that it names, and no others", () => {
  const files = (text) => facesIn(text).map(({ file }) => file);
  assert.deepEqual(files('font-family="Source Sans"'), ["sans"]);
  assert.deepEqual(files('font-family="Source Serif" font-style="italic"'), ["serif", "serif-italic"]);
  assert.deepEqual(files("sans-serif"), []);
});

test("a picture leaves out what paper leaves out, and fields", () => {
  const css = readFileSync(new URL("../../../assets/css/common.css", import.meta.url), "utf8");
  const [, onPaper] = /:is\(([^)]*)\)/.exec(css.split("@media print")[1]);
  const inPicture = LEFT_OUT.split(", ");
  const alone = ["input", "textarea", "select", "[hidden]"];
  assert.deepEqual(inPicture.sort(), [...onPaper.split(",").map((one) => one.trim()), ...alone].sort());
});
