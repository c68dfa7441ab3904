/** A button that copies the page's address, which is the whole view. */

import { element } from "../lib/spans.js";

const LONGEST = 25000; // as mha/link has it

/** What is said after a try; where the browser refuses, the address itself stands there to be copied by hand. */
export function outcome(copied, address) {
  if (!copied) return address;
  if (address.length > LONGEST) return `Copied, but at ${address.length} characters some apps may cut it off.`;
  return "Copied. It opens this view.";
}

/** Copy by the clipboard interface, or, on an address without https, by a selection as older pages do. */
export async function copyText(text, { clipboard, document: page }) {
  try {
    await clipboard.writeText(text);
    return true;
  } catch {
    const field = page.createElement("textarea");
    field.value = text;
    page.body.append(field);
    field.select();
    const done = page.execCommand("copy");
    field.remove();
    return done;
  }
}

/** The address with a word before all others and one behind them, by which the app notices that a link was cut. */
export function marked(address) {
  const link = new URL(address);
  const words = [...link.searchParams].filter(([name]) => name !== "c" && name !== "e");
  link.search = new URLSearchParams([["c", "1"], ...words, ["e", "1"]]).toString(); // as mha/link/view.py has them
  link.hash = "";
  return link.href;
}

/** Draws the button, and after it what came of a click. @type {Drawer<"copy_link">} */
export function copyLink({ label }) {
  const said = element("span.copied", { role: "status" });
  const button = element("button.copy", label);
  button.addEventListener("click", async () => {
    const address = marked(window.location.href);
    said.textContent = outcome(await copyText(address, { clipboard: navigator.clipboard, document }), address);
    button.focus(); // the older way to copy takes the focus for a moment
  });
  return [button, said];
}
