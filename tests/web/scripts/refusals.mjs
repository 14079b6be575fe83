// What a page in a language says to each refusal of a list, given the tables of its catalogue.

import { readFileSync } from "node:fs";

const { language, tables, refusals } = JSON.parse(readFileSync(0, "utf8"));
globalThis.document = {
  documentElement: { lang: language },
  querySelector: () => ({ href: "http://casino/all.json" }),
};
globalThis.fetch = async ({ pathname }) => ({ json: async () => tables[pathname.slice(1)] });
const { errorText } = await import("../../../static/js/text/error_text.js");

console.log(JSON.stringify(refusals.map((refusal) => errorText(refusal))));
