// Where the pages of the casino lie, at the top of a site and below a path of it.

import assert from "node:assert/strict";
import { test } from "node:test";

const MODULE = new URL("../../../static/js/common/urls.js", import.meta.url);

async function below(root) {
  const meta = { getAttribute: () => root };
  const document = { documentElement: { lang: "" }, querySelector: () => meta };
  globalThis.document = root === null ? undefined : document;
  return import(`${MODULE}?${root}`);
}

test("every address begins with the path that the casino is served under", async () => {
  const { auditPage, gamePage, tablePage, urlFor } = await below("/casino");
  assert.equal(urlFor("/api/tables"), "/casino/api/tables");
  assert.equal(gamePage("t1-17"), "/casino/game/t1-17");
  assert.equal(tablePage("salon"), "/casino/table/salon");
  assert.equal(auditPage("t1-17"), "/casino/audit?game=t1-17");
});

test("at the top of a site, and without a page, nothing comes before", async () => {
  for (const root of ["", null]) {
    const { gamePage, urlFor } = await below(root);
    assert.equal(urlFor("/"), "/");
    assert.equal(gamePage("t1-1"), "/game/t1-1");
  }
});

test("a name cannot leave its place in an address", async () => {
  const { auditPage, gamePage, tablePage } = await below("");
  assert.equal(gamePage("../api?x=1#y"), "/game/..%2Fapi%3Fx%3D1%23y");
  assert.equal(tablePage("a/b"), "/table/a%2Fb");
  assert.equal(auditPage("a&b"), "/audit?game=a%26b");
});
