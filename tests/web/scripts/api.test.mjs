// The JSON side: what is asked for, where, and what comes of an answer that does not come.

import assert from "node:assert/strict";
import { test } from "node:test";

globalThis.document = { documentElement: { lang: "" } };
globalThis.HTMLMetaElement = class {
  getAttribute() {
    return "/casino";
  }
};
document.querySelector = () => new HTMLMetaElement();
const { get, post, refusal } = await import("../../../static/js/common/api.js");

function answering(answer) {
  const asked = [];
  globalThis.fetch = async (path, options) => {
    asked.push([path, options]);
    if (answer instanceof Error) throw answer;
    return { json: async () => answer };
  };
  return asked;
}

test("GET asks below the casino's path, names and questions written for an address", async () => {
  const asked = answering({ ok: true, games: [] });
  assert.deepEqual(await get("/api/games", { limit: 2, before: "a&b" }), { ok: true, games: [] });
  await get("/api/games/ID", "t1-2?");
  await get("/api/receipts/ID", "a/b");
  await get("/api/me");
  const paths = ["games?limit=2&before=a%26b", "games/t1-2%3F", "receipts/a%2Fb", "me"];
  assert.equal(asked.map(([path]) => path).join(), paths.map((path) => `/casino/api/${path}`).join());
  assert.ok(asked.every(([, { credentials }]) => credentials === "same-origin"));
});

test("POST sends JSON", async () => {
  const asked = answering({ ok: true });
  await post("/api/limits", { key: "day_stake_cents", value: 500 });
  const [path, { method, headers, body }] = asked[0];
  assert.equal(path, "/casino/api/limits");
  assert.equal(method, "POST");
  assert.equal(headers["Content-Type"], "application/json");
  assert.deepEqual(JSON.parse(body), { key: "day_stake_cents", value: 500 });
});

test("an answer that does not come is a refusal, and is said to be silence", async () => {
  answering(new Error("no line"));
  const answer = await get("/api/me");
  assert.deepEqual(answer, { ok: false, code: "unavailable", message: "" });
  assert.equal(await refusal(answer), "The casino does not answer.");
});
