/** Where a long text comes in: typed or pasted, or from a file that only this browser reads. */

import { element } from "../lib/spans.js";

const bytesOf = (text) => new TextEncoder().encode(text).length;

/** As much of a text as fits so many bytes of UTF-8, whole characters only; and whether something was cut. */
export function fitted(text, most) {
  if (bytesOf(text) <= most) return { text, cut: false };
  let [low, high] = [0, text.length];
  while (low < high) {
    const middle = Math.ceil((low + high) / 2);
    if (bytesOf(text.slice(0, middle)) <= most) low = middle;
    else high = middle - 1;
  }
  if (/[\ud800-\udbff]$/.test(text.slice(0, low))) low -= 1;
  return { text: text.slice(0, low), cut: true };
}

export function box(root, { header }, { memory, trigger }) {
  const field = element("textarea.long-field", { rows: 10, "aria-label": "Long text", "data-focus": "field" });
  field.value = memory.get("text") ?? "";
  const told = element("p.long-note", { role: "status" });
  const file = element("input", { type: "file", accept: "text/*,.txt,.md", "aria-label": "Open a text file" });
  const count = element("span.long-count");
  const show = () => {
    memory.set("text", field.value);
    const bytes = bytesOf(field.value);
    count.textContent = `${field.value.length.toLocaleString("en")} characters`;
    told.textContent =
      bytes > header.most
        ? `This is more than ${(header.most / 1000).toLocaleString("en")} kB, which is what comes through at once: only its first ${fitted(field.value, header.most).text.length.toLocaleString("en")} characters will be read.`
        : "";
  };
  field.addEventListener("input", show);
  file.addEventListener("change", async () => {
    if (!file.files.length) return;
    // What is read of it has its first bytes; of the rest, each of tens of megabytes would cost every key that is typed.
    const text = await file.files[0].slice(0, 2 * header.most).text();
    file.value = ""; // the same one can be opened again
    const there = root.querySelector(".long-field") ?? field; // which may have been drawn anew
    there.value = text;
    there.dispatchEvent(new Event("input"));
  });
  const read = element("button.plain-button", "Show this text");
  read.addEventListener(
    "click",
    () => field.value.trim() && trigger("text", { text: fitted(field.value, header.most).text }),
  );
  root.append(element("p.long-note", header.note), field, told, element("div.long-row", file, count, read));
  show();
}
