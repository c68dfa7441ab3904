/** The file of Heads: mounts the components of the app on the data of the file, and answers clicks itself. */

import { openEnvelope } from "../lib/envelope.js";
import { filledText } from "../lib/spans.js";
import { fitToPaper } from "../page/printing.js";
import { after, overviewHeader, pinnedPart, released } from "./pins.js";

/** The JSON of the file; bytes in it are compressed and in base64. */
const read = (id) => JSON.parse(document.getElementById(id).textContent);

async function unpacked(text) {
  const bytes = Uint8Array.from(atob(text), (letter) => letter.charCodeAt(0));
  const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream("gzip"));
  return new Uint8Array(await new Response(stream).arrayBuffer());
}

async function open() {
  const tokens = read("tokens");
  const parts = await Promise.all(
    read("parts").map(async ({ module, role, bytes }) => ({
      role,
      view: await import(`parallax/${module}`),
      data: openEnvelope(await unpacked(bytes)),
    })),
  );
  const answers = read("answers");
  const { lock, look, steps } = parts.find(({ role }) => role === "pinned").data.header;
  let state = { pins: answers.pins, lock: lock === null ? null : lock * steps[look === "at" ? 1 : 0], look };
  const places = document.getElementById("page");
  for (const part of parts) {
    const place = places.appendChild(document.createElement("section"));
    part.place = place;
    place.dataset.role = part.role;
    part.mounted = part.view.default(place, tokens);
  }

  const status = document.body.appendChild(document.createElement("p"));
  status.className = "status";
  status.setAttribute("role", "status");
  const trigger = (name, value) => {
    const next = after(state, name, value ?? {});
    if (JSON.stringify(next) === JSON.stringify(state)) return;
    const head = released(state, next);
    status.textContent = head === null ? "" : filledText(answers.released, { head });
    state = next;
    draw();
  };
  /** The data of a part now; null if nothing is pinned. */
  function drawn({ role, data }) {
    if (role === "overview") return { ...data, header: overviewHeader(data, state, answers.nothing) };
    return state.pins.length ? pinnedPart(data, state) : null;
  }
  function draw() {
    for (const part of parts) {
      const data = drawn(part);
      part.place.hidden = data === null;
      if (data !== null) part.mounted.update(data, trigger);
    }
  }
  draw();
  matchMedia("(prefers-color-scheme: dark)").addEventListener("change", draw);
  fitToPaper(window);
  document.body.dataset.ready = "";
  if (parent !== window) parent.postMessage("parallax drawn", "*"); // to a notebook, which shows a picture until then
}

if (globalThis.document)
  open().catch((error) => {
    document.getElementById("page").textContent = `This file could not be drawn: ${error.message}`;
  });
