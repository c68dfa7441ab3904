import assert from "node:assert/strict";
import test from "node:test";
import { arcShapes } from "../../assets/js/lib/arcs.js";
import { momentAt, rowOf, weightsOf } from "../../assets/js/components/runs.js";

const boxes = [0, 100, 200, 300].map((x) => ({ x, width: 60 }));

test("ends of several heads at one word stand side by side", () => {
  const links = [0.6, 0.9].map((weight) => ({ q: 3, k: 0, weight }));
  const arcs = arcShapes(links, boxes, { y: 50, up: true });
  assert.ok(arcs[0].tip.x - arcs[1].tip.x <= -(0.6 * 14 + 0.9 * 14) / 2);
  assert.equal(arcShapes([{ q: 3, k: 0, weight: 0.6 }], boxes, { y: 50, up: true })[0].tip.x.toFixed(3), "30.000");
});

test("a step finds its nearest moment, the earlier of two", () => {
  assert.equal(momentAt([0, 25, 50], 50), 2);
  assert.equal(momentAt([0, 25], 1200), 1);
  assert.equal(momentAt([0, 24, 48], 12), 0);
});

test("rows are taken from [moment, head, query, key]", () => {
  const data = Uint8Array.from({ length: 2 * 3 * 2 * 2 }, (_, i) => i);
  assert.deepEqual(rowOf({ data, shape: [2, 3, 2, 2] }, 1, 2, 1), [22 / 255, 23 / 255]);
});

test("weights come as bytes in base64", () => {
  const weights = Buffer.from([0, 128, 255, 1]).toString("base64");
  const { data, shape } = weightsOf({ weights, shape: [1, 1, 2, 2] });
  assert.deepEqual([...data], [0, 128, 255, 1]);
  assert.deepEqual(shape, [1, 1, 2, 2]);
});
