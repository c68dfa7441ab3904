import assert from "node:assert/strict";
import test from "node:test";

import { openAnew } from "../../../assets/js/page/missing_part.js";

/** A window whose server gives these answers, and the last one from then on. */
function browser(answers, storage = new Map()) {
  const found = { opened: 0, asked: 0, happens: null };
  openAnew({
    addEventListener: (name, listener) => name === "vite:preloadError" && (found.happens = listener),
    sessionStorage: { getItem: (key) => storage.get(key) ?? null, setItem: (key, value) => storage.set(key, value) },
    fetch: async () => {
      const answer = answers[Math.min(found.asked++, answers.length - 1)];
      if (answer === null) throw new TypeError("Failed to fetch");
      return { ok: answer === 200 };
    },
    setTimeout: (go) => setImmediate(go),
    location: { href: "/training?v=1", reload: () => (found.opened += 1) },
  });
  return found;
}

/** As many turns as all answers need, however slow the machine. */
const soon = async () => {
  for (let turn = 0; turn < 20; turn += 1) await new Promise((go) => setImmediate(go));
};

test("a page of which a part is missing is opened anew once its server answers", async () => {
  const page = browser([null, 503, 200]);
  page.happens();
  await soon();
  assert.deepEqual([page.asked, page.opened], [3, 1]);
});

test("several parts are one reason, and what did not help is not done again", async () => {
  const kept = new Map();
  const page = browser([200], kept);
  for (let part = 0; part < 9; part += 1) page.happens();
  await soon();
  assert.equal(page.opened, 1);
  const again = browser([200], kept);
  again.happens();
  await soon();
  assert.equal(again.opened, 0);
});

test("where nothing is kept it is not done, for it would have no end", async () => {
  const page = browser([200], { get: () => assert.fail("refused") });
  page.happens();
  await soon();
  assert.equal(page.opened, 0);
});
