/** Elements and sentences. Text from outside is only ever set as text. */

const SVG = "http://www.w3.org/2000/svg";

/**
 * An element by its name and classes, `span.badge`, perhaps its attributes, and its children. A button sends no form.
 * @param {string} name @param {...any} given
 */
export function element(name, ...given) {
  const node = dressed((tag) => document.createElement(tag), name, given);
  if (node.localName === "button") node.setAttribute("type", "button");
  return node;
}

/** The same of SVG. @param {string} name @param {...any} given */
export function svg(name, ...given) {
  return dressed((tag) => document.createElementNS(SVG, tag), name, given);
}

function dressed(make, name, given) {
  const [tag, ...classes] = name.split(".");
  const node = make(tag);
  const attributes = given[0]?.constructor === Object ? given[0] : {};
  if (attributes.class) classes.push(attributes.class);
  for (const [key, value] of Object.entries({ ...attributes, class: classes.join(" ") || null }))
    if (value !== null && value !== undefined) node.setAttribute(key, value);
  if (attributes["font-size"]) node.style.fontSize = `max(${attributes["font-size"]}px, var(--least, 0px))`;
  return put(node, attributes === given[0] ? given.slice(1) : given);
}

/** Append children to a node: nodes, texts, lists of these; null, false and empty texts are skipped. */
export function put(node, ...children) {
  const there = (child) => child !== null && child !== undefined && child !== false && child !== "";
  node.append(...children.flat(Infinity).filter(there));
  return node;
}

/** Replace the children of a node; as `put`. */
export function refill(node, ...children) {
  node.replaceChildren();
  return put(node, ...children);
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
