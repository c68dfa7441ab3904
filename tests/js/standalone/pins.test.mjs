import assert from "node:assert/strict";
import { test } from "node:test";

import { after, overviewHeader, pinnedPart, released } from "../../../assets/js/standalone/pins.js";

const ALL = ["L0H0", "L0H1", "L1H0", "L1H1", "L2H0"];
const all = {
  header: { title: "x", steps: [1, 4], heads: ALL.map((name) => ({ name, caption: [["plain", name]] })) },
  arrays: { weights: { data: Uint16Array.from({ length: 5 * 2 * 3 }, (_, i) => i), shape: [5, 2, 3] }, mass: { data: Uint8Array.from({ length: 10 }, (_, i) => i), shape: [5, 2] } },
};

test("a click pins and unpins, the oldest of four gives way", () => {
  let state = { pins: ["L0H0"], lock: null };
  state = after(state, "head", { head: "L1H1" });
  assert.deepEqual(state.pins, ["L0H0", "L1H1"]);
  assert.deepEqual(after(state, "head", { head: "L0H0" }).pins, ["L1H1"]);
  for (const head of ["L0H1", "L1H0", "L2H0"]) state = after(state, "head", { head });
  assert.deepEqual(state.pins, ["L1H1", "L0H1", "L1H0", "L2H0"]);
});

test("a word of an axis is framed; other events change nothing", () => {
  const only = { pins: ["L1H0"], lock: null, look: "at" };
  assert.deepEqual(after(only, "word", { position: 2, look: "at" }), { ...only, lock: 2, look: "at" });
  assert.deepEqual(after(only, "word", { position: 2, look: "from" }), { ...only, lock: 2, look: "from" });
  assert.equal(after({ ...only, lock: 2 }, "word", { position: null, look: "at" }).lock, null);
  assert.deepEqual(after(only, "screen", {}), only);
});

const overview = {
  header: {
    heads: 2, pins: ["L0H0"], finding: ["a question"], note: ["usual"], chosen: true, queries: ["dogs", "bark"], keys: ["dogs", "bark"],
    looks: [[0, 1, 40, null], null, [1, 0, 62, null], null, null, null],
    say: { look: [["head", "{head}"], ["plain", ": {percent}"]], nothing: [["plain", "nothing in {head}"]] },
  },
};

test("the overview has the sentences of its first two pins, or what to do", () => {
  const header = overviewHeader(overview, { pins: ["L1H0", "L0H1", "L2H0"] }, "none");
  assert.deepEqual(header.finding, [[["head", "L1H0"], ["plain", ": 62\u00a0%"]], [["plain", "nothing in L0H1"]]]);
  assert.deepEqual([header.note, header.chosen], [[], false]);
  assert.deepEqual(overviewHeader(overview, { pins: [] }, "none").finding, ["none"]);
});

test("the pins of the file keep their own finding and note", () => {
  assert.equal(overviewHeader(overview, { pins: ["L0H0"] }, "none"), overview.header);
});

test("the pinned heads keep their own rows of every array", () => {
  const { header, arrays } = pinnedPart(all, { pins: ["L2H0", "L0H1"], lock: 9 });
  assert.equal(header.lock, 2);
  assert.deepEqual(header.heads.map(({ name }) => name), ["L2H0", "L0H1"]);
  assert.deepEqual([...arrays.weights.data], [24, 25, 26, 27, 28, 29, 6, 7, 8, 9, 10, 11]);
  assert.deepEqual([[...arrays.mass.data], arrays.mass.shape], [[8, 9, 2, 3], [2, 2]]);
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
  const picked = (state, head) => released(state, after(state, "head", { head }));
  assert.equal(picked(four, "L2H0"), "L0H0");
  assert.equal(picked(four, "L0H0"), null);
  assert.equal(picked({ ...four, pins: ["L0H0"] }, "L2H0"), null);
});
