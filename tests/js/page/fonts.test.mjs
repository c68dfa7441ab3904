import assert from "node:assert/strict";
import { test } from "node:test";

import { loadParts } from "../../../assets/js/page/fonts.js";

const [ALL, LATIN] = ["U+0-10FFFF", "U+20-7E"];

test("of a font that is declared in parts the parts alone are loaded, whoever asks", async () => {
  const asked = [];
  const face = (family, style, unicodeRange) => ({ family, style, unicodeRange, load: async () => asked.push(`${style} ${family} ${unicodeRange}`) });
  const faces = [face("Serif", "normal", ALL), face("Serif", "italic", ALL), face('"Serif"', "normal", LATIN), face('"Serif"', "italic", LATIN), face("Code", "normal", ALL)];
  const fonts = Object.assign(faces, { load: async (font) => asked.push(font) });
  loadParts(fonts);
  for (const font of ['400 20px "Serif"', 'italic 400 20px "Serif"', '500 13px "Code"', "1em Serif"]) await fonts.load(font);
  assert.deepEqual(asked, [`normal "Serif" ${LATIN}`, `italic "Serif" ${LATIN}`, '500 13px "Code"', "1em Serif"]);
});
