/**
 * What stands on a page as marks of SVG: boxes, texts line by line, pictures, each where it stands.
 *
 * Only what is seen goes along; what is clicked stays behind, as it does on paper.
 */

import { treeOf } from "../lib/picture.js";

/** What is left out as `assets/css/common.css` leaves it out on paper, and the fields, which paper shows. */
export const LEFT_OUT =
  ".plain-button, .quiet-button, .text-button, .actions, .player, .arc-end, .band, .swipe, .read, .say-next, input, textarea, select, [hidden]";
const COLOUR = /(rgba?|hsla?|color|oklch)\([^)]*\)/g;
const SIDES = ["top", "right", "bottom", "left"];

const mark = (name, attributes, children = []) => ({ name, attributes, children });
const rounded = (number) => String(Math.round(number * 100) / 100);
const sized = ({ left, top, width, height }) => ({
  x: rounded(left),
  y: rounded(top),
  width: rounded(width),
  height: rounded(height),
});
const grown = ({ left, top, width, height }, by) => ({
  left: left - by,
  top: top - by,
  width: width + 2 * by,
  height: height + 2 * by,
});
const moved = (x, y) => `translate(${rounded(x)} ${rounded(y)})`;

/** Whether a colour leaves a mark. */
export function inked(colour) {
  return (
    Boolean(colour) && colour !== "transparent" && !/^(rgba|hsla)\(.*,\s*0\)$/.test(colour) && !/\/\s*0\)$/.test(colour)
  );
}

/**
 * A line of text in lines that fit into some room; a word that does not is broken.
 * @param {string} text @param {number} room @param {(text: string) => number} gauge
 */
export function folded(text, room, gauge) {
  const lines = [];
  let line = "";
  for (const word of text.split(" ")) {
    const longer = line ? `${line} ${word}` : word;
    if (gauge(longer) <= room) {
      line = longer;
      continue;
    }
    if (line) lines.push(line);
    line = "";
    for (const letter of word) {
      if (line && gauge(line + letter) > room) {
        lines.push(line);
        line = "";
      }
      line += letter;
    }
  }
  return [...lines, line];
}

/**
 * Letters and where each stands, as lines: those on one height belong together, whichever way they run.
 * @param {{text: string, left: number, right: number, top: number, bottom: number}[]} letters
 */
export function asLines(letters) {
  const lines = [];
  for (const letter of letters) {
    const line = lines.at(-1);
    if (line && (letter.left === letter.right || Math.abs(line.top - letter.top) < 1)) {
      line.text += letter.text;
      if (letter.left === letter.right) continue; // it joins the one before
      line.left = Math.min(line.left, letter.left);
      line.right = Math.max(line.right, letter.right);
    } else lines.push({ ...letter });
  }
  return lines.filter(({ text, left, right }) => left < right && text.trim());
}

/**
 * What turns or mirrors marks as a sheet does a box; null where it does neither.
 * @param {string} transform @param {string} origin as a browser computes them
 * @param {{left: number, top: number}} place of the box before it is turned
 */
export function turnOf(transform, origin, { left, top }) {
  const [a, b, c, d] = transform
    .match(/^matrix\((.*)\)$/)?.[1]
    .split(",")
    .map(Number) ?? [1, 0, 0, 1];
  if (!b && !c && a > 0 && d > 0) return null;
  const [x, y] = origin.split(" ").map(parseFloat);
  return `${moved(left + x, top + y)} ${transform} ${moved(-left - x, -top - y)}`;
}

/**
 * The ground and the edges of a box, as marks.
 * @param {{left: number, top: number, width: number, height: number}} box @param {(name: string) => string} style
 */
export function boxMarks(box, style) {
  const marks = [];
  const { left, top, width, height } = box;
  const rx = Math.min(parseFloat(style("border-top-left-radius")) || 0, width / 2, height / 2);
  const place = (grow = 0) => ({ ...sized(grown(box, grow)), ...(rx ? { rx: rounded(rx) } : {}) });
  if (inked(style("background-color"))) marks.push(mark("rect", { ...place(), fill: style("background-color") }));
  const edges = SIDES.map((side) => edge(style, `border-${side}`));
  const [first] = edges;
  const alike = (other) => other?.wide === first.wide && other.ink === first.ink && other.dashed === first.dashed;
  if (first && edges.every(alike))
    marks.push(mark("rect", { ...place(-first.wide / 2), fill: "none", ...drawn(first) }));
  else
    edges.forEach((one, i) => {
      if (!one) return;
      const half = one.wide / 2;
      const ends = [
        [left, top + half, left + width, top + half],
        [left + width - half, top, left + width - half, top + height],
        [left, top + height - half, left + width, top + height - half],
        [left + half, top, left + half, top + height],
      ][i];
      const [x1, y1, x2, y2] = ends.map(rounded);
      marks.push(mark("line", { x1, y1, x2, y2, ...drawn(one) }));
    });
  const ring = edge(style, "outline");
  const beyond = ring && (parseFloat(style("outline-offset")) || 0) + ring.wide / 2;
  if (ring) marks.push(mark("rect", { ...place(beyond), fill: "none", ...drawn(ring) }));
  return [...marks, ...shadowMarks(box, style("box-shadow"))];
}

function edge(style, name) {
  const wide = parseFloat(style(`${name}-width`)) || 0;
  const kind = style(`${name}-style`);
  const ink = style(`${name}-color`);
  return wide > 0 && kind && kind !== "none" && kind !== "hidden" && inked(ink)
    ? { wide, ink, dashed: kind === "dashed" }
    : null;
}

const drawn = ({ wide, ink, dashed }) => ({
  stroke: ink,
  "stroke-width": rounded(wide),
  ...(dashed ? { "stroke-dasharray": `${rounded(wide * 3)} ${rounded(wide * 2)}` } : {}),
});

/** Shadows without blur, which the page uses as lines along one side inside of a box or as rings around it. */
function shadowMarks(box, shadow) {
  if (!shadow || shadow === "none") return [];
  return shadow.split(/,(?![^(]*\))/).flatMap((one) => {
    const ink = one.match(/(rgba?|hsla?|color)\([^)]*\)/)?.[0] ?? "";
    const [x, y, blur, spread] = one.replace(ink, "").replace("inset", "").trim().split(/\s+/).map(parseFloat);
    if (!inked(ink) || blur) return [];
    const inside = one.includes("inset");
    if (!x && !y) {
      const around = sized(grown(box, ((inside ? -1 : 1) * spread) / 2));
      return [mark("rect", { ...around, fill: "none", stroke: ink, "stroke-width": rounded(Math.abs(spread)) })];
    }
    if (!inside) return [];
    const [w, h] = [x ? Math.abs(x) : box.width, y ? Math.abs(y) : box.height];
    const [right, below] = [box.left + box.width - w, box.top + box.height - h];
    const side = { left: x < 0 ? right : box.left, top: y < 0 ? below : box.top, width: w, height: h };
    return [mark("rect", { ...sized(side), fill: ink })];
  });
}

/**
 * A part of the page as one group of marks, its upper left corner at 0, 0.
 * @param {Element} root @returns {{tree: object, width: number, height: number}}
 */
export function marksOf(root) {
  const view = root.ownerDocument.defaultView;
  const origin = root.getBoundingClientRect();
  const letters = root.ownerDocument.createElement("canvas").getContext("2d");
  const shared = []; // what marks name: cuts and gradients
  const edges = { right: 0, bottom: 0 };

  function box(rect) {
    return { left: rect.left - origin.left, top: rect.top - origin.top, width: rect.width, height: rect.height };
  }

  function children(node) {
    const inside = node.shadowRoot ?? node;
    return Array.from(inside.childNodes).flatMap((child) =>
      child.nodeType === 3 ? texts(child) : child.nodeType === 1 ? marks(child) : [],
    );
  }

  function marks(node) {
    if (node.localName === "style" || node.localName === "script" || node.matches(LEFT_OUT)) return [];
    const style = view.getComputedStyle(node);
    if (
      style.display === "none" ||
      style.visibility === "hidden" ||
      Number(style.opacity) === 0 ||
      style.clipPath === "inset(50%)"
    )
      return [];
    if (style.display === "contents") return children(node);
    if (turnOf(style.transform, style.transformOrigin, origin)) return [turned(node, style)];
    const rect = node.getBoundingClientRect();
    const place = box(rect);
    if (rect.width <= 1 && rect.height <= 1 && style.overflow === "hidden") return []; // for screen readers alone
    if (rect.width && rect.height && (node.localName === "svg" || node.localName === "canvas")) note(place);
    if (node.localName === "svg") return [pictureMark(node, place)];
    if (node.localName === "canvas") {
      if (!rect.width || !node.width) return [];
      const look = { preserveAspectRatio: "none", "image-rendering": style.imageRendering };
      return [mark("image", { ...sized(place), href: node.toDataURL("image/png"), ...look })];
    }
    if (node.localName === "img")
      return /^data:image\/(png|jpeg)/.test(node.src) ? [mark("image", { ...sized(place), href: node.src })] : [];
    const seen = rect.width && rect.height;
    const boxes = seen
      ? [...boxMarks(place, (name) => style.getPropertyValue(name)), ...ramp(place, style.backgroundImage)]
      : [];
    if (boxes.length) note(place);
    const found = [
      ...boxes,
      ...drawnBeside(node, "::before", rect),
      ...children(node),
      ...drawnBeside(node, "::after", rect),
    ];
    const cut = /hidden|auto|scroll|clip/.test(style.overflowX) && node.scrollWidth > node.clientWidth + 1;
    const wrapped = cut ? [mark("g", { "clip-path": `url(#${clip(place)})` }, found)] : found;
    return Number(style.opacity) < 1 ? [mark("g", { opacity: style.opacity }, wrapped)] : wrapped;
  }

  /** The marks of a node as if it stood straight, in a group that turns them. */
  function turned(node, { transform, transformOrigin }) {
    const [before, seen, reach] = [node.style.transform, box(node.getBoundingClientRect()), { ...edges }];
    node.style.transform = "none";
    try {
      const found = marks(node);
      Object.assign(edges, reach);
      note(seen);
      return mark("g", { transform: turnOf(transform, transformOrigin, box(node.getBoundingClientRect())) }, found);
    } finally {
      node.style.transform = before;
    }
  }

  /** A box that a sheet draws before or after what stands in a node: a coloured square, a line under a word. */
  function drawnBeside(node, which, rect) {
    const style = view.getComputedStyle(node, which);
    const [width, height] = [parseFloat(style.width), parseFloat(style.height)];
    if (style.content !== '""' || !(width && height)) return [];
    const line = node.getClientRects()[0] ?? rect;
    const free = style.position === "absolute";
    const left = free ? rect.left + parseFloat(style.left) : line.left;
    const top = free ? rect.top + parseFloat(style.top) : (line.top + line.bottom - height) / 2;
    return boxMarks(box({ left, top, width, height }), (name) => style.getPropertyValue(name));
  }

  function clip(place) {
    const id = `cut${shared.length}`;
    shared.push(mark("clipPath", { id }, [mark("rect", sized(place))]));
    return id;
  }

  /** A box that fades from colour to colour, from left to right, or hatched at an angle. */
  function ramp(place, image) {
    const colours = image.match(COLOUR) ?? [];
    if (!/^(repeating-)?linear-gradient/.test(image) || colours.length < 2) return [];
    const id = `ramp${shared.length}`;
    if (image.startsWith("repeating")) {
      const ink = colours.find((colour) => inked(colour));
      if (!ink) return [];
      shared.push(
        mark(
          "pattern",
          { id, width: "8", height: "8", patternUnits: "userSpaceOnUse", patternTransform: "rotate(45)" },
          [mark("line", { x1: "0", y1: "0", x2: "0", y2: "8", stroke: ink, "stroke-width": "1.4" })],
        ),
      );
    } else {
      const down = !/to right|90deg/.test(image);
      const stops = colours.map((colour, i) =>
        mark("stop", { offset: rounded(i / (colours.length - 1)), "stop-color": colour }),
      );
      shared.push(mark("linearGradient", { id, x1: "0", y1: "0", x2: down ? "0" : "1", y2: down ? "1" : "0" }, stops));
    }
    return [mark("rect", { ...sized(place), fill: `url(#${id})` })];
  }

  function pictureMark(node, place) {
    const tree = treeOf(node);
    return {
      ...tree,
      attributes: { ...tree.attributes, ...sized(place), ...(tree.attributes.viewBox ? {} : { overflow: "visible" }) },
    };
  }

  function texts(node) {
    if (!node.data.trim()) return [];
    const style = view.getComputedStyle(node.parentElement);
    const range = root.ownerDocument.createRange();
    let at = 0;
    const standing = Array.from(node.data).flatMap((text) => {
      range.setStart(node, at);
      range.setEnd(node, (at += text.length));
      const [rect] = range.getClientRects(); // white space that is not drawn has none
      if (!rect) return [];
      const { left, top, width, height } = box(rect);
      return [{ text, left, right: left + width, top, bottom: top + height }];
    });
    const family = style.fontFamily;
    letters.font = `${style.fontStyle} ${style.fontWeight} ${style.fontSize} ${family}`;
    const { fontBoundingBoxAscent: up, fontBoundingBoxDescent: down } = letters.measureText("x");
    return asLines(standing).map((line) => {
      note({ left: line.left, top: line.top, width: line.right - line.left, height: line.bottom - line.top });
      const baseline = line.top + ((line.bottom - line.top) * up) / (up + down);
      const shown = style.textTransform === "uppercase" ? line.text.toUpperCase() : line.text;
      const spaced = style.letterSpacing !== "normal" && { "letter-spacing": style.letterSpacing };
      const long = [...shown].length > 1;
      const set = long && { textLength: rounded(line.right - line.left), lengthAdjust: "spacingAndGlyphs" };
      const font = {
        "font-family": family,
        "font-size": style.fontSize,
        "font-style": style.fontStyle,
        "font-weight": style.fontWeight,
      };
      const start =
        style.direction === "rtl" ? { x: rounded(line.right), direction: "rtl" } : { x: rounded(line.left) };
      const place = { ...start, y: rounded(baseline) };
      return mark("text", { ...place, fill: style.color, ...font, ...spaced, ...set }, [shown]);
    });
  }

  function note({ left, top, width, height }) {
    edges.right = Math.max(edges.right, left + width);
    edges.bottom = Math.max(edges.bottom, top + height);
  }

  const found = marks(root);
  const defs = shared.length ? [mark("defs", {}, shared)] : [];
  return {
    tree: mark("svg", {}, [...defs, mark("g", { transform: moved(PAD, PAD) }, found)]),
    width: Math.ceil(Math.max(edges.right, 1)) + 2 * PAD,
    height: Math.ceil(Math.max(edges.bottom, 1)) + 2 * PAD,
  };
}

const PAD = 16; // px around what is drawn
