/** Something of ours in Streamlit's bar: a place of its own at its end, which no run of the page moves. */

import { css, rampAt } from "../lib/colour.js";
import { element } from "../lib/spans.js";

const HEADER = '[data-testid="stHeader"]';
const COPIED = ["--st-text-color", "--st-background-color", "--st-font", "--st-heading-font", "--st-code-font"]; // a component's own
const INK = 7 / 9; // of the ramp, as arcs are drawn

/**
 * Puts a node into the bar with the style sheets of a component, whose variables hold only inside it.
 * @param {HTMLElement} root of the component @param {string} name of the place @param {Element} node
 */
export function inHeader(root, name, node) {
  const inner = element("div.parallax.in-header", node);
  const host = element("div", { class: name });
  host.attachShadow({ mode: "open" }).append(inner);
  return {
    /** Puts it there if it is not, in the colours of now. */
    place(colours) {
      const header = document.querySelector(HEADER);
      if (!header) return;
      if (host.parentElement !== header) {
        for (const left of header.querySelectorAll(`:scope > .${name}`)) left.remove(); // of an earlier version of the app
        header.append(host);
        host.shadowRoot.adoptedStyleSheets =
          /** @type {ShadowRoot | Document} */ (root.getRootNode()).adoptedStyleSheets ?? [];
      }
      inner.style.cssText = root.style.cssText;
      inner.style.setProperty("--ink", css(rampAt(colours.ramp, INK)));
      const style = getComputedStyle(root);
      for (const variable of COPIED) inner.style.setProperty(variable, style.getPropertyValue(variable));
    },
    close: () => host.remove(),
  };
}
