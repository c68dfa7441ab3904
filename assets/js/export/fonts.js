/** The fonts that a picture takes along, for a file can ask no server: the parts of `assets/fonts` with Latin letters. */

const FACES = [
  { family: "Source Serif", style: "normal", file: "serif" },
  { family: "Source Serif", style: "italic", file: "serif-italic" },
  { family: "Source Sans", style: "normal", file: "sans" },
  { family: "Source Code Pro", style: "normal", file: "code" },
];
const FOLDER = new URL("../../fonts/", import.meta.url);
const read = new Map();

/** The faces that a picture's text names. @param {string} text */
export function facesIn(text) {
  return FACES.filter(({ family, style }) => text.includes(family) && (style === "normal" || text.includes(style)));
}

/** Those faces as CSS, each font in it; a font that cannot be had is left to the reader's system. */
export async function fontsOf(text) {
  const rules = await Promise.all(
    facesIn(text).map(async (face) => {
      const data = await fontText(face.file);
      return (
        data &&
        `@font-face{font-family:"${face.family}";font-style:${face.style};font-weight:100 900;src:url(data:font/woff2;base64,${data})}`
      );
    }),
  );
  return rules.join("");
}

async function fontText(file) {
  if (!read.has(file))
    read.set(
      file,
      fetched(new URL(`${file}.woff2`, FOLDER)).catch(() => ""),
    );
  const data = await read.get(file);
  if (!data) read.delete(file); // the next picture asks once more
  return data;
}

async function fetched(address) {
  const answer = await fetch(address);
  if (!answer.ok) return "";
  const bytes = new Uint8Array(await answer.arrayBuffer());
  let letters = "";
  for (const byte of bytes) letters += String.fromCharCode(byte);
  return btoa(letters);
}
