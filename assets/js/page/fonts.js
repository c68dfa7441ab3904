/**
 * Fonts that are asked for by name: of those that are declared in parts as well as whole, the parts alone.
 *
 * Whoever asks a document by name gets every face of that name, and has no way to ask for less. Without this, a first
 * look at Heads and Two readings brings 1,573 kB of fonts in 11 files, with it 332 kB in 7.
 */

const WHOLE = "U+0-10FFFF"; // the characters of a font that says nothing about them

/**
 * Let the fonts of a document load parts; Streamlit asks for its icons by name as it starts, with all 4,000 of them.
 * @param {FontFaceSet} fonts
 */
export function loadParts(fonts) {
  const load = fonts.load.bind(fonts);
  fonts.load = (font, text) => {
    const parts = partsOf(fonts, font);
    return parts.length ? Promise.all(parts.map((face) => face.load())) : load(font, text);
  };
}

/** The parts of a font, which is given as CSS writes it, `italic 400 20px "Source Serif"`. */
function partsOf(fonts, font) {
  const [, family] = font.match(/"([^"]+)"/) ?? [];
  const style = /\bitalic\b/.test(font) ? "italic" : "normal";
  return [...fonts].filter(
    (face) => face.family.replaceAll('"', "") === family && face.style === style && face.unicodeRange !== WHOLE,
  );
}
