/** Formulas in a file, as MathML, which browsers lay out by themselves. */

/** Mounts formulas into a place; see `mha/readers/parts.py`. @param {HTMLElement} place */
export default function formula(place) {
  const node = place.appendChild(document.createElement("div"));
  return {
    update({ formulas, narrow }) {
      node.className = narrow ? "formulas narrow" : "formulas";
      const read = formulas.map((text) => new DOMParser().parseFromString(text, "application/xml").documentElement);
      node.replaceChildren(...read.map((math) => document.importNode(math, true)));
    },
  };
}
