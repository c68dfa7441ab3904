import assert from "node:assert/strict";
import test from "node:test";
import { momentAt, pivotArcs, pivotLinks, rowOf } from "../../assets/js/lib/pivot.js";
import { weightsOf } from "../../assets/js/components/runs.js";

const boxes = [0, 100, 200, 300].map((x) => ({ x, width: 60 }));

test("the pivot's own weight and faint looks are not drawn, strong ones come last", () => {
  const links = pivotLinks([[0.5, 0.01, 0.3, 0.1], [0.04, 0.9, 0, 0.06]], 3);
  assert.deepEqual(links.map(({ head, key }) => [head, key]), [[1, 0], [0, 2], [0, 0], [1, 1]]);
});

test("ends at one word stand side by side, and only the strongest there has its number", () => {
  const links = pivotLinks([[0.6, 0, 0, 0], [0.9, 0, 0, 0], [0, 0.1, 0, 0]], 3);
  const arcs = pivotArcs(links, boxes, 3, { y: 50, up: true });
  assert.deepEqual(arcs.map(({ label }) => label !== null), [false, false, true]);
  const [faint, , strong] = arcs;
  assert.equal(strong.width, 0.9 * 14);
  assert.equal(faint.width, 1.4000000000000001);
  const tips = arcs.map(({ arrow }) => Number(arrow.split("L")[1].split(",")[0]));
  assert.equal(tips[0], 130);
  assert.ok(Math.abs(tips[1] - tips[2]) >= (0.6 * 14 + 0.9 * 14) / 2);
});

test("arcs above rise and arcs below fall", () => {
  const links = pivotLinks([[0, 1, 0, 0]], 3);
  const [above] = pivotArcs(links, boxes, 3, { y: 50, up: true });
  const [below] = pivotArcs(links, boxes, 3, { y: 50, up: false });
  assert.ok(above.label.y < 50);
  assert.ok(below.label.y > 50);
  assert.match(above.path, / 0 0 0 /);
  assert.match(below.path, / 0 0 1 /);
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

test("the number of a lower arc with room stands inside it, where no higher arc crosses it", () => {
  const wide = [0, 300, 600, 900].map((x) => ({ x, width: 60 }));
  const labels = (up) => pivotArcs(pivotLinks([[0.5, 0, 0, 0], [0, 0.4, 0, 0]], 3), wide, 3, { y: 150, up }).map(({ link, label }) => [link.key, label.inside]);
  assert.deepEqual(labels(true), [[1, true], [0, false]]);
  assert.deepEqual(labels(false), [[1, true], [0, false]]);
});
