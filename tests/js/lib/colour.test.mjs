import assert from "node:assert/strict";
import { readFileSync } from "node:fs";
import test from "node:test";
import { contrast, inkOn, luminance, palette, parseColour, rampAt, themeOf } from "../../../assets/js/lib/colour.js";

const tokens = JSON.parse(readFileSync(new URL("../../../assets/tokens.json", import.meta.url), "utf8"));
const style = (values) => ({ getPropertyValue: (name) => values[name] ?? "" });

test("colours as Streamlit writes them", () => {
  assert.deepEqual(parseColour("#23568a"), [35, 86, 138]);
  assert.deepEqual(parseColour(" #fff "), [255, 255, 255]);
  assert.deepEqual(parseColour("rgb(1, 2, 3)"), [1, 2, 3]);
  assert.deepEqual(parseColour("rgba(1, 2, 3, 0.5)"), [1, 2, 3]);
  assert.equal(parseColour("unset"), null);
});

test("a ramp is linear between its steps and holds at its ends", () => {
  const ramp = [[0, 0, 0], [100, 0, 0], [100, 200, 0]];
  assert.deepEqual(rampAt(ramp, 0), [0, 0, 0]);
  assert.deepEqual(rampAt(ramp, 0.25), [50, 0, 0]);
  assert.deepEqual(rampAt(ramp, 0.75), [100, 100, 0]);
  assert.deepEqual(rampAt(ramp, 1), [100, 200, 0]);
  assert.deepEqual(rampAt(ramp, 7), [100, 200, 0]);
  assert.deepEqual(rampAt(ramp, -1), [0, 0, 0]);
});

test("black on white has contrast 21", () => {
  assert.equal(luminance([0, 0, 0]), 0);
  assert.ok(Math.abs(contrast([0, 0, 0], [255, 255, 255]) - 21) < 1e-9);
});

test("numbers read on both ramps with at least 4.5, on their steps and between", () => {
  for (const theme of ["light", "dark"]) {
    const { sequential, number_on_dark: light, number_on_light: dark } = tokens[theme];
    const ramp = sequential.map(parseColour);
    const reads = (colour) => contrast(parseColour(inkOn(colour, dark, light)), colour);
    for (const step of ramp) assert.ok(reads(step) >= 4.5);
    for (let x = 0; x <= 1; x += 0.01) assert.ok(reads(rampAt(ramp, x)) >= 4.5);
  }
});

test("the theme's own ink wherever it reads, else black or white", () => {
  assert.equal(inkOn([255, 255, 255], "#0d1117", "#f0f0f0"), "#0d1117");
  assert.equal(inkOn([0, 0, 40], "#0d1117", "#f0f0f0"), "#f0f0f0");
  assert.equal(inkOn([79, 126, 169], "#0d1117", "#ffffff"), "rgb(0, 0, 0)");
});

test("the page's background tells the theme", () => {
  assert.equal(themeOf(tokens.light.background, tokens), "light");
  assert.equal(themeOf("rgb(20, 23, 26)", tokens), "dark");
  assert.equal(themeOf("unset", tokens), "light");
});

test("Streamlit's ramp is used when it starts at the page, else ours", () => {
  const ours = { light: { background: "#ffffff", sequential: ["#ffffff", "#000000"] }, dark: { background: "#000000", sequential: ["#000000", "#ffffff"] } };
  const given = (colours) => palette(style({ "--st-background-color": "#ffffff", "--st-chart-sequential-colors": colours }), ours).ramp;
  assert.deepEqual(given("#fefefe,#112233"), [[254, 254, 254], [17, 34, 51]]);
  assert.deepEqual(given("rgb(255, 255, 255),rgb(1, 2, 3)"), [[255, 255, 255], [1, 2, 3]]);
  assert.deepEqual(given("#123456,#ffffff"), [[255, 255, 255], [0, 0, 0]]);
  assert.deepEqual(given(""), [[255, 255, 255], [0, 0, 0]]);
});
