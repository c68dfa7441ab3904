import assert from "node:assert/strict";
import { test } from "node:test";

import { after, overviewHeader, pinnedPart, released } from "../../../assets/js/standalone/pins.js";

const ALL = ["L0H0", "L0H1", "L1H0", "L1H1", "L2H0"];
const all = {
  header: { title: "x", steps: [1, 4], heads: ALL.map((name) => ({ name, caption: [["plain", name]] })) },
  arrays: { weights: { data: Uint16Array.from({ length: 5 * 2 * 3 }, (_, i) => i), shape: [5, 2, 3] }, mass: { data: Uint8Array.from({ length: 10 }, (_, i) => i), shape: [5, 2] } },
};

test("a click pins and releases, the oldest of four gives way", () => {
  let state = { pins: ["L0H0"], lock: null };
  state = after(state, "picked", { head: "L1H1" });
  assert.deepEqual(state.pins, ["L0H0", "L1H1"]);
  assert.deepEqual(after(state, "unpin", { head: "L0H0" }).pins, ["L1H1"]);
  for (const head of ["L0H1", "L1H0", "L2H0"]) state = after(state, "picked", { head });
  assert.deepEqual(state.pins, ["L1H1", "L0H1", "L1H0", "L2H0"]);
});

test("a word is locked; other events change nothing", () => {
  const only = { pins: ["L1H0"], lock: null };
  assert.deepEqual(after(only, "lock", { position: 2 }), { ...only, lock: 2, look: "at" });
  assert.deepEqual(after(only, "row", { position: 2 }), { ...only, lock: 2, look: "from" });
  assert.equal(after({ ...only, lock: 2 }, "lock", { position: null }).lock, null);
});

test("the overview says the sentences of its first two pins, or what to do", () => {
  const sentences = Object.fromEntries(ALL.map((name) => [name, [["head", name]]]));
  const part = { header: { size: [2, 3], lock: 3 }, arrays: {} };
  const header = overviewHeader(part, { pins: ["L1H0", "L0H0", "L2H0"], lock: 1 }, sentences, "none");
  assert.deepEqual(header.finding, [[["head", "L1H0"]], [["head", "L0H0"]]]);
  assert.equal(header.lock, 3, "arcs came for its own word alone");
  assert.deepEqual(overviewHeader(part, { pins: [], lock: null }, sentences, "none").finding, ["none"]);
});

test("the pinned heads keep their own rows of every array", () => {
  const { header, arrays } = pinnedPart(all, { pins: ["L2H0", "L0H1"], lock: 9 });
  assert.equal(header.lock, 2);
  assert.deepEqual(header.heads.map(({ name }) => name), ["L2H0", "L0H1"]);
  assert.deepEqual([...arrays.weights.data], [24, 25, 26, 27, 28, 29, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([[...arrays.mass.data], arrays.mass.shape], [[8, 9, 2, 3], [2, 2]]);
});

test("only what the file came with keeps its own sentences and note", () => {
  const sentences = Object.fromEntries(ALL.map((name) => [name, [["head", name]]]));
  const own = { pins: ["L0H0"], title: "All 5 heads", finding: ["a question"], note: ["usual"], chosen: true, look: "at" };
  const state = { pins: ["L0H0"], lock: null, look: "at" };
  const header = (changed) => overviewHeader({ header: own, arrays: {} }, { ...state, ...changed }, sentences, "none");
  const { title, finding, note, chosen } = header({});
  assert.deepEqual([title, finding, note, chosen], [own.title, own.finding, own.note, true]);
  const other = header({ pins: ["L1H1"] });
  assert.deepEqual([other.title, other.finding, other.note, other.chosen], [own.title, [[["head", "L1H1"]]], [], false]);
});

test("what stands about one word closes, and is gone then", () => {
  const state = { pins: ["L0H0"], lock: 1, look: "ask" };
  const part = { header: { pins: state.pins, look: "ask", asked: { at: 1 } }, arrays: {} };
  assert.deepEqual(overviewHeader(part, state, {}, "none").asked, { at: 1 });
  const closed = after(state, "asked", { position: null });
  const header = overviewHeader(part, closed, {}, "none");
  assert.deepEqual([header.asked, header.look], [null, "from"]);
  assert.deepEqual(after(state, "asked", { position: 2 }), state, "of another word nothing is known");
});

test("what is said under pinned heads is of the word that the file came with; else of none", () => {
  const heads = all.header.heads.map((head) => ({ ...head, free: [["plain", `${head.name} free`]] }));
  const part = { ...all, header: { ...all.header, heads, lock: 1, look: "from", about: "of dog", free: "of all" } };
  const at = (lock, look) => pinnedPart(part, { pins: ["L0H1"], lock, look }).header;
  assert.deepEqual([at(1, "from").about, at(1, "from").heads[0].caption], ["of dog", [["plain", "L0H1"]]]);
  assert.deepEqual([at(0, "from").about, at(0, "from").heads[0].caption], ["of all", [["plain", "L0H1 free"]]]);
  assert.equal(at(4, "at").about, "of all", "a column is no row");
  assert.equal("free" in at(1, "from").heads[0], false);
  assert.equal(at(1, "from").title, "Pinned head");
});

test("of four pinned heads the one that gives way to a fifth is named", () => {
  const four = { pins: ["L0H0", "L0H1", "L1H0", "L1H1"], lock: null };
  const picked = (state, head) => released(state, after(state, "picked", { head }));
  assert.equal(picked(four, "L2H0"), "L0H0");
  assert.equal(picked(four, "L0H0"), null);
  assert.equal(picked({ ...four, pins: ["L0H0"] }, "L2H0"), null);
});
