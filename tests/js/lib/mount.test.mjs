import assert from "node:assert/strict";
import { deflateRawSync } from "node:zlib";
import { test } from "node:test";

import { given, mounted } from "../../../assets/js/lib/mount.js";

test("a place keeps its view, is fed with every new data, and lets it go", () => {
  const told = [];
  const component = mounted((parent) => ({
    update: (data, trigger) => told.push([parent.name, data, trigger]),
    close: () => told.push([parent.name, "closed"]),
  }));
  const [left, right] = [{ name: "left" }, { name: "right" }];
  const trigger = () => {};
  component({ data: 2, parentElement: left, setTriggerValue: trigger });
  component({ data: 3, parentElement: right, setTriggerValue: trigger });
  const leave = component({ data: 5, parentElement: left, setTriggerValue: trigger });
  leave();
  leave();
  assert.deepEqual(told, [["left", 2, trigger], ["right", 3, trigger], ["left", 5, trigger], ["left", "closed"]]);
});

test("a view of a later version takes the place of what an earlier one has drawn", () => {
  const told = [];
  const version = (name) => mounted(() => ({ update: () => told.push(`${name} drawn`), close: () => told.push(`${name} gone`) }));
  const parentElement = {};
  version("old")({ data: 1, parentElement });
  version("new")({ data: 2, parentElement });
  assert.deepEqual(told, ["old drawn", "old gone", "new drawn"]);
});

test("bytes that are JSON are read, an envelope is opened, and anything else stays as it is", () => {
  const bytes = (text) => new TextEncoder().encode(text);
  assert.deepEqual(given(bytes('{"blocks":[{"spans":[["word","Straße"]]}]}')), { blocks: [{ spans: [["word", "Straße"]] }] });
  assert.deepEqual(given(bytes("{}")), {});
  const header = JSON.stringify({ text: "é 漢 🙂 </script>", arrays: [{ name: "shares", dtype: "uint8", shape: [2, 1], offset: 0 }] });
  const head = bytes(header.padEnd(header.length + 256));
  const envelope = new Uint8Array([head.length % 256, head.length >> 8, 0, 0, ...head, 5, 7]);
  const { header: opened, arrays } = given(envelope);
  assert.equal(opened.text, "é 漢 🙂 </script>");
  assert.deepEqual([[...arrays.shares.data], arrays.shares.shape], [[5, 7], [2, 1]]);
  assert.equal(given(null), null);
  const told = [];
  mounted(() => ({ update: (data) => told.push(data), close: () => {} }))({ data: bytes("[2,3]"), parentElement: {} });
  assert.deepEqual(told, [[2, 3]]);
});

test("compressed bytes are unpacked at once, wherever they stand in a frame", () => {
  const packed = (text) => {
    const bytes = new TextEncoder().encode(text);
    const length = new Uint8Array(new Uint32Array([bytes.length]).buffer);
    return new Uint8Array([9, 9, 9, 0, 0, 0, 0, ...length, ...deflateRawSync(bytes)]).subarray(3);
  };
  for (const text of ["Straße", "", "a long text, long ".repeat(9000), String.fromCodePoint(...Array(3000).keys())]) {
    assert.deepEqual(given(packed(JSON.stringify({ text }))), { text });
  }
  const told = [];
  mounted(() => ({ update: (data) => told.push(data), close: () => {} }))({ data: packed("[2]"), parentElement: {} });
  assert.deepEqual(told, [[2]]);
});
