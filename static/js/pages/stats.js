// Figures over the last finished games, counted here.

import { get } from "../api.js";
import { byId, h, text } from "../dom.js";
import { complain, connectHead } from "../head.js";
import { percent, t, tn } from "../i18n.js";

const PAGES = 5;
const LIMIT = 100;

async function lastGames() {
  const games = [];
  for (let page = 0; page < PAGES; page += 1) {
    const before = games.length ? `&before=${encodeURIComponent(games.at(-1).game)}` : "";
    const answer = await get(`/api/games?limit=${LIMIT}${before}`);
    complain(answer);
    const found = answer.games ?? [];
    games.push(...found);
    if (found.length < LIMIT) break;
  }
  return games.filter((game) => game.winner);
}

function row(who, games, mine) {
  const won = games.filter((game) => mine(game) === game.winner);
  const share = games.length ? won.length / games.length : 0;
  const kinds = [1, 2, 3].map((stake) =>
    h("td.n", {}, String(won.filter((game) => game.stake === stake).length)),
  );
  return h(
    "tr",
    {},
    h("th", { scope: "row" }, who),
    h("td.n", {}, String(games.length)),
    h("td.n", {}, String(won.length)),
    h(
      "td",
      {},
      h("meter", { min: "0", max: "1", value: String(share), "aria-label": t("share of games won") }),
      ` ${percent(share)}`,
    ),
    ...kinds,
  );
}

function people(games) {
  const names = [...new Set(games.map((game) => game.players.challenger))];
  return names
    .map((name) => [name, games.filter((game) => game.players.challenger === name)])
    .sort((a, b) => b[1].length - a[1].length)
    .slice(0, 20);
}

connectHead();
const games = await lastGames();
text(byId("over"), tn("{n} game counted.", "{n} games counted.", { n: games.length }));
byId("figures").append(
  row(t("the house"), games, () => "house"),
  ...people(games).map(([name, his]) => row(name, his, () => "challenger")),
);
const scores = new Map();
for (const { score } of games) {
  const key = `${score.house} – ${score.challenger}`;
  scores.set(key, (scores.get(key) ?? 0) + 1);
}
const most = Math.max(1, ...scores.values());
byId("scores").append(
  ...[...scores]
    .sort()
    .map(([score, n]) =>
      h(
        "li",
        {},
        h("span", {}, score),
        h("meter", { min: "0", max: String(most), value: String(n), "aria-label": score }),
        h("b", {}, String(n)),
      ),
    ),
);
