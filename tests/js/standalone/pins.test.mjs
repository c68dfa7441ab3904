import assert from "node:assert/strict";
import { test } from "node:test";

import { after, overviewHeader, pinnedPart, released } from "../../../assets/js/standalone/pins.js";

const ALL = ["L0H0", "L0H1", "L1H0", "L1H1", "L2H0"];
const all = {
  header: { title: "x", steps: [1, 4], heads: ALL.map((name) => ({ name, caption: [["plain", name]] })) },
  arrays: { weights: { data: Uint16Array.from({ length: 5 * 2 * 3 }, (_, i) => i), shape: [5, 2, 3] }, mass: { data: Uint8Array.from({ length: 10 }, (_, i) => i), shape: [5, 2] } },
};

test("a click pins and releases, the oldest of four gives way", () => {
  let state = { pins: ["L0H0"], off: [], lock: null };
  state = after(state, "picked", { head: "L1H1" }, ALL);
  assert.deepEqual(state.pins, ["L0H0", "L1H1"]);
  assert.deepEqual(after(state, "unpin", { head: "L0H0" }, ALL).pins, ["L1H1"]);
  for (const head of ["L0H1", "L1H0", "L2H0"]) state = after(state, "picked", { head }, ALL);
  assert.deepEqual(state.pins, ["L1H1", "L0H1", "L1H0", "L2H0"]);
});

test("only one head is on, and pinned alone; all come back with what was pinned, unless that was changed since", () => {
  const before = { pins: ["L1H1", "L1H0"], off: [], lock: null };
  const only = after(before, "only", { head: "L1H0" }, ALL);
  assert.deepEqual([only.pins, only.off], [["L1H0"], ["L0H0", "L0H1", "L1H1", "L2H0"]]);
  assert.deepEqual(after(only, "all_back", {}, ALL), before);
  const more = after(only, "picked", { head: "L2H0" }, ALL);
  assert.deepEqual(after(more, "all_back", {}, ALL).pins, ["L1H0", "L2H0"]);
  const other = after(after(only, "picked", { head: "L1H0" }, ALL), "picked", { head: "L2H0" }, ALL);
  assert.deepEqual(after(other, "all_back", {}, ALL).pins, ["L2H0"]);
});

test("a word is locked; other events change nothing", () => {
  const only = after({ pins: [], off: [], lock: null }, "only", { head: "L1H0" }, ALL);
  assert.deepEqual(after(only, "lock", { position: 2 }, ALL), { ...only, lock: 2, look: "at" });
  assert.deepEqual(after(only, "row", { position: 2 }, ALL), { ...only, lock: 2, look: "from" });
  assert.equal(after({ ...only, lock: 2 }, "lock", { position: null }, ALL).lock, null);
  assert.deepEqual(after(only, "view", { name: "lines" }, ALL), only);
});

test("the overview says the sentences of its first two pins, or what to do", () => {
  const sentences = Object.fromEntries(ALL.map((name) => [name, [["head", name]]]));
  const part = { header: { size: [2, 3], lock: 3 }, arrays: {} };
  const header = overviewHeader(part, { pins: ["L1H0", "L0H0", "L2H0"], off: [], lock: 1 }, sentences, "none");
  assert.deepEqual(header.finding, [[["head", "L1H0"]], [["head", "L0H0"]]]);
  assert.equal(header.lock, 3, "arcs came for its own word alone");
  assert.deepEqual(overviewHeader(part, { pins: [], off: [], lock: null }, sentences, "none").finding, ["none"]);
});

test("the pinned heads keep their own rows of every array", () => {
  const { header, arrays } = pinnedPart(all, { pins: ["L2H0", "L0H1"], off: [], lock: 9 });
  assert.equal(header.lock, 2);
  assert.deepEqual(header.heads.map(({ name, only }) => [name, only]), [["L2H0", false], ["L0H1", false]]);
  assert.deepEqual([...arrays.weights.data], [24, 25, 26, 27, 28, 29, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([[...arrays.mass.data], arrays.mass.shape], [[8, 9, 2, 3], [2, 2]]);
  assert.equal(pinnedPart(all, { pins: ["L0H0"], off: ALL.slice(1), lock: null }).header.heads[0].only, true);
});

test("only what the file came with keeps its own sentences, titles and note", () => {
  const sentences = Object.fromEntries(ALL.map((name) => [name, [["head", name]]]));
  const own = { pins: ["L0H0"], off: ["L1H0"], title: "4 of 5 heads shown", finding: ["a question"], note: ["usual"], chosen: true, look: "at" };
  const state = { pins: ["L0H0"], off: ["L1H0"], lock: null, look: "at" };
  const titles = ["All 5 heads", "1 of 5 heads shown"];
  const header = (changed) => overviewHeader({ header: own, arrays: {} }, { ...state, ...changed }, sentences, "none", titles);
  const { title, finding, note, chosen } = header({});
  assert.deepEqual([title, finding, note, chosen], [own.title, own.finding, own.note, true]);
  assert.equal(header({ off: [] }).title, titles[0]);
  const only = header({ pins: ["L1H1"], off: ALL.filter((head) => head !== "L1H1") });
  assert.deepEqual([only.title, only.finding, only.note, only.chosen], [titles[1], [[["head", "L1H1"]]], [], false]);
});

test("what stands about one word closes, and is gone then", () => {
  const state = { pins: ["L0H0"], off: [], lock: 1, look: "ask" };
  const part = { header: { pins: state.pins, off: [], look: "ask", asked: { at: 1 } }, arrays: {} };
  assert.deepEqual(overviewHeader(part, state, {}, "none").asked, { at: 1 });
  const closed = after(state, "asked", { position: null }, ALL);
  const header = overviewHeader(part, closed, {}, "none");
  assert.deepEqual([header.asked, header.look], [null, "from"]);
  assert.deepEqual(after(state, "asked", { position: 2 }, ALL), state, "of another word nothing is known");
});

test("what is said under pinned heads is of the word that the file came with; else of none", () => {
  const heads = all.header.heads.map((head) => ({ ...head, free: [["plain", `${head.name} free`]] }));
  const part = { ...all, header: { ...all.header, heads, lock: 1, look: "from", about: "of dog", free: "of all" } };
  const at = (lock, look) => pinnedPart(part, { pins: ["L0H1"], off: [], lock, look }).header;
  assert.deepEqual([at(1, "from").about, at(1, "from").heads[0].caption], ["of dog", [["plain", "L0H1"]]]);
  assert.deepEqual([at(0, "from").about, at(0, "from").heads[0].caption], ["of all", [["plain", "L0H1 free"]]]);
  assert.equal(at(4, "at").about, "of all", "a column is no row");
  assert.equal("free" in at(1, "from").heads[0], false);
  assert.equal(at(1, "from").title, "Pinned head");
});

test("of four pinned heads the one that gives way to a fifth is named", () => {
  const four = { pins: ["L0H0", "L0H1", "L1H0", "L1H1"], off: [], lock: null };
  const picked = (state, head) => released(state, after(state, "picked", { head }, ALL));
  assert.equal(picked(four, "L2H0"), "L0H0");
  assert.equal(picked(four, "L0H0"), null);
  assert.equal(picked({ ...four, pins: ["L0H0"] }, "L2H0"), null);
  assert.equal(released(four, after(four, "only", { head: "L1H1" }, ALL)), null);
});
