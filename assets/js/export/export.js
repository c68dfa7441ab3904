/** The pictures of a page as SVG and PNG files, made here from what is on the page. */

import { dress } from "../lib/colour.js";
import { handOver, pngOf, svgFile } from "../lib/picture.js";
import { element } from "../lib/spans.js";
import { folded, marksOf } from "./marks.js";
import { fontsOf } from "./fonts.js";
import { fileName, found } from "./found.js";

/** Mounts the list into a place; see `mha/app/downloads.py`. */
export default function createExport(parent, tokens) {
  const root = parent.appendChild(element("div.parallax.export"));
  const status = element("p.export-status", { role: "status" });
  let offered = ""; // what the buttons are for: drawn anew, one that is being pressed would be lost
  return {
    update(data) {
      dress(root, tokens);
      const pictures = found(document);
      const now = JSON.stringify([data.title, data.source, pictures.map(({ title, key }) => [title, key])]);
      if (now === offered) return;
      offered = now;
      root.replaceChildren(...(pictures.length ? list(data, pictures, status) : []), status);
    },
    close() {
      root.remove();
    },
  };
}

/** The heading and the list; a page without a picture has neither. */
function list(data, pictures, status) {
  const rows = pictures.map(({ title, key, node }) => {
    const name = fileName(data.title, title);
    const button = (kind, act) => {
      const made = element("button.plain-button", { "aria-label": `${title || data.title} as ${kind}` }, kind);
      made.addEventListener("click", async () => {
        try {
          await act(await withFonts(drawn(stands(title, key) ?? node, title || data.title, data.source)), name);
          status.textContent = `Downloaded: ${name}.`;
        } catch (error) {
          status.textContent = `This picture could not be made: ${error.message}`;
        }
      });
      return made;
    };
    const svg = button("SVG", ({ text }) => handOver(new Blob([text], { type: "image/svg+xml" }), `${name}.svg`));
    const png = button("PNG", async ({ text, width, height }) =>
      handOver(await pngOf(text, width, height), `${name}.png`),
    );
    return element("li", element("span", title || data.title), svg, png);
  });
  return [element("p.say-muted", "Pictures (as shown now)"), element("ul.export-list", ...rows)];
}

/** A picture as it stands on the page now, which may have been drawn since. */
const stands = (title, key) => found(document).find((one) => one.title === title && one.key === key)?.node;

/** @typedef {import("../lib/picture.js").Sheet & {tree: import("../lib/picture.js").Mark}} Picture */

/** One picture with its sheet; where it comes from stands under it. @returns {Picture} */
function drawn(node, title, source) {
  const { tree, width, height } = marksOf(node);
  const style = getComputedStyle(document.querySelector(".stApp") ?? document.body);
  const font = { "font-family": "sans-serif", "font-size": "11" };
  const wide = Math.max(width, source ? 320 : 0);
  const letters = document.createElement("canvas").getContext("2d");
  letters.font = "11px sans-serif";
  const lines = source ? folded(source, wide - 32, (text) => letters.measureText(text).width) : [];
  const place = (line) => ({ x: "16", y: String(height + 4 + 14 * line), ...font, fill: style.color, opacity: "0.7" });
  const foot = lines.map((text, line) => ({ name: "text", attributes: place(line), children: [text] }));
  const size = { width: wide, height: height + (lines.length ? 2 + 14 * lines.length : 0) };
  return {
    tree: { ...tree, children: [...tree.children, ...foot] },
    ...size,
    background: style.backgroundColor,
    title,
    source,
  };
}

/** @param {Picture} picture */
const written = ({ tree, ...about }) => svgFile(tree, about);

/** The picture as text with the fonts that it names, and its size. @param {Picture} picture */
async function withFonts(picture) {
  const text = written({ ...picture, fonts: await fontsOf(written(picture)) });
  return { text, width: picture.width, height: picture.height };
}
