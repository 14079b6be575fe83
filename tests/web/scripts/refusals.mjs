// What a page in a language says to each refusal of a list; null where it goes by the code alone.

import { readFileSync } from "node:fs";

globalThis.document = { documentElement: { lang: process.argv[2] } };
const { known, said } = await import("../../../static/js/refusals.js");
const { whyNot } = await import("../../../static/js/narrate.js");

function sentence(answer) {
  const why = whyNot(answer.message, answer.article);
  if (!why.startsWith(answer.message)) return why;
  return known(answer).name === answer.code ? null : said(answer);
}

const answers = JSON.parse(readFileSync(0, "utf8"));
console.log(JSON.stringify(answers.map((answer) => [sentence(answer), said({ code: answer.code })])));
