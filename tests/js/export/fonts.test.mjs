import assert from "node:assert/strict";
import { test } from "node:test";

test("a font that could not be had is left out, and asked for again by the next picture", async () => {
  const answers = [() => Promise.reject(new TypeError("Failed to fetch")), () => new Response("", { status: 503 }), () => new Response("abc")];
  let asked = 0;
  globalThis.fetch = async () => answers[Math.min(asked++, 2)]();
  const { fontsOf } = await import("../../../assets/js/export/fonts.js");
  const text = 'font-family="Source Sans"';
  assert.equal(await fontsOf(text), "");
  assert.equal(await fontsOf(text), "");
  assert.match(await fontsOf(text), /base64,YWJj\)/);
  await fontsOf(text);
  assert.equal(asked, 3);
});
