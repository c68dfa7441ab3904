import assert from "node:assert/strict";
import { test } from "node:test";

import { nameServer } from "../../../assets/js/page/server.js";

const named = (pathname, page) => {
  const window = { location: { origin: "https://lab.test", pathname } };
  nameServer(window, page);
  return window.__streamlit?.BACKEND_BASE_URL;
};

test("a page's own name is no part of its server's address, whatever folder it is served below", () => {
  assert.equal(named("/readings", "readings"), "https://lab.test/");
  assert.equal(named("/lab/lens/readings", "readings"), "https://lab.test/lab/lens/");
});

test("where the address is the server's own, or not what was asked for, Streamlit finds it", () => {
  assert.equal(named("/", ""), undefined);
  assert.equal(named("/lab/lens", ""), undefined);
  assert.equal(named("/elsewhere", "readings"), undefined);
});
