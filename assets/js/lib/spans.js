/** Elements and sentences. Text from outside is only ever set as text. */
/** @import { Span } from "../blocks.d.ts" */

const SVG = "http://www.w3.org/2000/svg";

/** An element with attributes and children; strings become text nodes. */
export function element(name, attributes = {}, ...children) {
  return dressed(document.createElement(name), attributes, children);
}

export function svg(name, attributes = {}, ...children) {
  return dressed(document.createElementNS(SVG, name), attributes, children);
}

function dressed(node, attributes, children) {
  for (const [name, value] of Object.entries(attributes))
    if (value !== null && value !== undefined) node.setAttribute(name, value);
  if (attributes["font-size"]) node.style.fontSize = `max(${attributes["font-size"]}px, var(--least, 0px))`;
  node.append(...children);
  return node;
}

/**
 * A template with its slots filled: [[kind, text], …]. A value that looks like a slot is not filled again.
 * @param {Span[]} template @param {Object<string, string>} values @returns {Span[]}
 */
export function filled(template, values) {
  return template.map(([kind, text]) => [kind, filledText(text, values)]);
}

export function filledText(text, values) {
  return text.replace(/\{([a-z_]+)\}/gi, (slot, name) => values[name] ?? slot);
}

/** @param {Span[]} spans */
export function plainText(spans) {
  return spans.map(([, text]) => text).join("");
}

/** Spans as elements with one class for each kind; a head says what its name means. @param {Span[]} spans */
export function spanNodes(spans) {
  return spans.map(([kind, text]) =>
    kind === "plain"
      ? document.createTextNode(text)
      : element("span", { class: `say-${kind}`, title: kind === "head" ? headTitle(text) : null }, text),
  );
}

/** What the name of a head means; null of another text. @param {string} name */
export function headTitle(name) {
  const [, layer, head] = /^L(\d+)H(\d+)$/.exec(name) ?? [];
  return head ? `Layer ${layer}, head ${head}. Both count from 0.` : null;
}

/** Whole per cents with a space that does not break. */
export function percentText(whole) {
  return `${whole}\u00a0%`;
}
