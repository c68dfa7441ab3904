import assert from "node:assert/strict";
import { test } from "node:test";

import { sentence } from "../../../assets/js/page/refused_file.js";

const AXIOS = "Error: AxiosError: Request failed with status code 429";
const answer = (status, text, type = "text/plain; charset=utf-8") => ({ status, text, type });

test("what the server says of a file is said to its reader", () => {
  assert.equal(sentence(AXIOS, answer(429, "There is no room for it.")), "There is no room for it.");
});

test("what the field found itself is said as it stands", () => {
  assert.equal(sentence("Error: File must be 20.0MB or smaller.", null), "File must be 20.0MB or smaller.");
});

test("a file of another kind is told which ones are taken", () => {
  const takes = "application/streamlit,.txt,.csv";
  for (const why of ["Error: files are not allowed.", "Error: application/json files are not allowed."])
    assert.equal(sentence(why, null, takes), "This field takes .txt and .csv files.");
  assert.equal(sentence("Error: files are not allowed.", null, "application/streamlit,.npz"), "This field takes .npz files.");
});

test("a line that breaks off, and an answer that is no sentence for a reader, have one of ours", () => {
  assert.match(sentence("Error: AxiosError: Network Error", answer(0, "", "")), /connection broke off/);
  assert.match(sentence(AXIOS, null), /connection broke off/);
  assert.match(sentence(AXIOS, answer(404, "Not found.")), /reload the page/);
  assert.match(sentence(AXIOS, answer(502, "<h1>Bad Gateway</h1>", "text/html")), /reload the page/);
  assert.match(sentence(AXIOS, answer(400, "{}")), /reload the page/);
});
