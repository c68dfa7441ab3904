/**
 * A picture of the page as a file: SVG text that stands by itself, and PNG made from it, in the browser alone.
 *
 * What a style sheet says of a mark is written onto the mark, and nothing that a file could fetch or run goes along.
 */

const NAMESPACE = "http://www.w3.org/2000/svg";
const DRAWN = new Set(
  (
    "svg g path rect circle ellipse line polyline polygon text tspan title defs pattern linearGradient stop " +
    "clipPath image"
  ).split(" "),
);
const STYLES = (
  "fill fill-opacity stroke stroke-width stroke-opacity stroke-dasharray opacity font-family font-size " +
  "font-style font-weight text-anchor dominant-baseline paint-order letter-spacing"
).split(" ");
const IMAGE = /^data:image\/(png|jpeg);base64,[A-Za-z0-9+/=]*$/;
const INSIDE = /^#[\w-]+$/;
const UNSAFE_VALUE = /url\((?!\s*["']?#)|expression|javascript:/i;
const MOST_PIXELS = 32_000_000;

/**
 * @typedef {{name: string, attributes: Object<string, string | number>, children: (Mark | string)[]}} Mark
 * @typedef {{width: number, height: number, background: string, title?: string, source?: string, fonts?: string}} Sheet
 * what a picture stands on: its size and colour, what it shows, where it comes from, its fonts as CSS
 */

/**
 * A tree as XML; only marks, no scripts, no handlers, no addresses but pictures that are in the file.
 * @param {Mark | string} tree
 */
export function serialised(tree) {
  if (typeof tree === "string") return escaped(tree);
  if (!DRAWN.has(tree.name)) return "";
  const attributes = Object.entries(tree.attributes).filter(([name, value]) => allowed(name, String(value)));
  const written = attributes.map(([name, value]) => ` ${name}="${escaped(String(value))}"`).join("");
  return `<${tree.name}${written}>${tree.children.map(serialised).join("")}</${tree.name}>`;
}

/** A whole file: the tree with its sheet. @param {Mark} tree @param {Sheet} sheet */
export function svgFile(tree, { width, height, background, title = "", source = "", fonts = "" }) {
  const ground = { name: "rect", attributes: { width, height, fill: background }, children: [] };
  const between = /[.?!]$/.test(title) ? " " : ". "; // a finding is a sentence, a name is none
  const said = { name: "title", attributes: {}, children: [[title, source].filter(Boolean).join(between)] };
  const attributes = {
    ...tree.attributes,
    xmlns: NAMESPACE,
    width,
    height,
    viewBox: tree.attributes.viewBox ?? `0 0 ${width} ${height}`,
  };
  return `<?xml version="1.0" encoding="UTF-8"?>\n${serialised({ name: "svg", attributes, children: [said, ground, ...tree.children] }).replace("</title>", `</title>${fonts && `<style>${fonts}</style>`}`)}\n`;
}

function allowed(name, value) {
  if (
    /^on/i.test(name) ||
    name === "style" ||
    name === "class" ||
    name.startsWith("data-") ||
    !/^[A-Za-z][\w:-]*$/.test(name)
  )
    return false;
  if (name === "href" || name.endsWith(":href")) return name === "href" && (IMAGE.test(value) || INSIDE.test(value));
  return !UNSAFE_VALUE.test(value);
}

function escaped(text) {
  const sound = text.toWellFormed().replace(/[\u0000-\u0008\u000b\u000c\u000e-\u001f\ufffe\uffff]/g, "\ufffd");
  return sound.replace(/[&<>"]/g, (sign) => ({ "&": "&amp;", "<": "&lt;", ">": "&gt;", '"': "&quot;" })[sign]);
}

/** How many px of a PNG stand for one of the page: as asked, less where the picture is very large. */
export function scaleFor(width, height, asked = 2) {
  return Math.min(asked, Math.sqrt(MOST_PIXELS / Math.max(1, width * height)));
}

/**
 * A picture of the page as a tree, its styles written onto the marks.
 * @param {Element} node @returns {Mark}
 */
export function treeOf(node, styleOf = (/** @type {Element} */ one) => getComputedStyle(one)) {
  const attributes = Object.fromEntries(Array.from(node.attributes, ({ name, value }) => [name, value]));
  const style = styleOf(node);
  for (const name of STYLES) {
    const value = style.getPropertyValue(name);
    if (value) attributes[name] = value;
  }
  /** @type {(Mark | string)[]} */
  const children = [];
  for (const child of node.childNodes)
    if (child.nodeType === 3) children.push(/** @type {Text} */ (child).data);
    else if (child.nodeType === 1) children.push(treeOf(/** @type {Element} */ (child), styleOf));
  return { name: node.localName, attributes, children };
}

/** A file of SVG text as a PNG. */
export async function pngOf(text, width, height) {
  const scale = scaleFor(width, height);
  const picture = new Image();
  const address = URL.createObjectURL(new Blob([text], { type: "image/svg+xml" }));
  try {
    picture.src = address;
    await picture.decode();
    const canvas = new OffscreenCanvas(Math.round(width * scale), Math.round(height * scale));
    canvas.getContext("2d").drawImage(picture, 0, 0, canvas.width, canvas.height);
    return await canvas.convertToBlob(); // as PNG
  } finally {
    URL.revokeObjectURL(address);
  }
}

/** Hands a file to the reader. */
export function handOver(content, name) {
  const address = URL.createObjectURL(content);
  const link = Object.assign(document.createElement("a"), { href: address, download: name });
  link.click();
  setTimeout(() => URL.revokeObjectURL(address), 1000);
}
