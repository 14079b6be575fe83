// What a page in a language says to each refusal of a list.

import { readFileSync } from "node:fs";

globalThis.document = { documentElement: { lang: process.argv[2] } };
const { said } = await import("../../../static/js/refusals.js");

console.log(JSON.stringify(JSON.parse(readFileSync(0, "utf8")).map((refusal) => said(refusal))));
