import assert from "node:assert/strict";
import test from "node:test";
import { openEnvelope, weightOf } from "../../../assets/js/lib/envelope.js";

function sealed(header, bytes) {
  const text = new TextEncoder().encode(JSON.stringify(header).padEnd(Math.ceil(JSON.stringify(header).length / 4) * 4));
  const all = new Uint8Array(4 + text.length + bytes.length);
  new DataView(all.buffer).setUint32(0, text.length, true);
  all.set(text, 4);
  all.set(bytes, 4 + text.length);
  return all;
}

test("arrays are found at any offset of the frame they came in", () => {
  const header = { arrays: [{ name: "a", dtype: "uint8", shape: [3], offset: 0 }, { name: "b", dtype: "uint16", shape: [1, 2], offset: 4 }] };
  const envelope = sealed(header, [2, 3, 5, 0, 7, 1, 11, 0]);
  for (const shift of [0, 1, 3]) {
    const frame = new Uint8Array(envelope.length + 8);
    frame.set(envelope, shift);
    const { arrays } = openEnvelope(frame.subarray(shift, shift + envelope.length));
    assert.deepEqual([...arrays.a.data], [2, 3, 5]);
    assert.deepEqual([...arrays.b.data], [263, 11]);
    assert.deepEqual(arrays.b.shape, [1, 2]);
  }
});

test("bytes are square roots", () => {
  assert.equal(weightOf(0), 0);
  assert.equal(weightOf(255), 1);
  assert.ok(Math.abs(weightOf(127.5) - 0.25) < 1e-12);
});
