/** A page that was taken away: mounts the views of the app on data that came with the file, and answers clicks itself. */

import { openEnvelope } from "../lib/envelope.js";
import { REFIT } from "../lib/fitting.js";
import { filledText } from "../lib/spans.js";
import { after, overviewHeader, pinnedPart, released, sealed } from "./pins.js";

/** What stands in the file: JSON as it is, bytes compressed and in base64. */
const read = (id) => JSON.parse(document.getElementById(id).textContent);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function open() {
  const tokens = read("tokens");
  const parts = await Promise.all(
    read("parts").map(async ({ module, role, data, bytes }) => ({
      role,
      view: await import(`parallax/${module}`),
      data: bytes === undefined ? data : await unpacked(bytes),
    })),
  );
  if (document.getElementById("plotly")) {
    const script = document.createElement("script");
    script.textContent = new TextDecoder().decode(await unpacked(read("plotly")));
    document.head.append(script);
  }
  const answers = read("answers");
  let state = {
    pins: answers.pins ?? [],
    off: answers.off ?? [],
    lock: answers.lock ?? null,
    look: answers.look ?? "at",
  };
  const places = document.getElementById("page");
  for (const part of parts) {
    const place = places.appendChild(document.createElement("section"));
    part.place = place;
    place.dataset.role = part.role;
    part.mounted = part.view.default(place, tokens);
    part.opened = part.data instanceof Uint8Array ? openEnvelope(part.data) : null;
  }

  const status = document.body.appendChild(document.createElement("p"));
  status.className = "status";
  status.setAttribute("role", "status");
  const trigger = (name, value) => {
    if (!answers.heads) return; // only the file of Heads answers
    const next = after(state, name, value ?? {}, answers.heads);
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    const head = released(state, next);
    status.textContent = head === null ? "" : filledText(answers.released, { head });
    state = next;
    draw();
  };
  /** What a part draws now; null where nothing is pinned. */
  function drawn({ role, opened, data }) {
    if (role === "overview")
      return sealed({
        header: overviewHeader(opened, state, answers.sentences, answers.nothing, answers.titles),
        arrays: opened.arrays,
      });
    if (role === "pinned") return state.pins.length ? sealed(pinnedPart(opened, state)) : null;
    return data;
  }
  function draw() {
    for (const part of parts) {
      const data = drawn(part);
      part.place.hidden = data === null;
      if (data !== null) part.mounted.update(data, trigger, () => {});
    }
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  fitToPaper(globalThis);
  document.body.dataset.ready = "";
  if (parent !== window) parent.postMessage("parallax drawn", "*"); // to a notebook, which shows a picture until then
}

/** Lays the file out for paper while it is printed, light and as wide as a sheet; `js/page/printing.js` does so in the app. */
export function fitToPaper(window) {
  for (const [name, on] of [
    ["beforeprint", true],
    ["afterprint", false],
  ])
    window.addEventListener(name, () => {
      window.document.documentElement.classList.toggle("printing", on);
      window.dispatchEvent(new Event(REFIT));
    });
}

if (globalThis.document)
  open().catch((error) => {
    document.getElementById("page").textContent = `This file could not be drawn: ${error.message}`;
  });
