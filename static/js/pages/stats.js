// Figures over the last finished games, counted here.

import { get } from "../api.js";
import { byId, h, text } from "../dom.js";
import { complain, connectHead } from "../head.js";
import { percent, t, tn } from "../i18n.js";
import { called } from "../people.js";

/** @import { GameLine, Seat as Side } from "../messages" */

const PAGES = 5;
const LIMIT = 100;
const MOST_PEOPLE = 20;

/** @returns {Promise<GameLine[]>} */
async function lastGames() {
  /** @type {GameLine[]} */
  const games = [];
  for (let page = 0; page < PAGES; page += 1) {
    const last = games.at(-1);
    const answer = await get("/api/games", { limit: LIMIT, ...(last && { before: last.game }) });
    complain(answer);
    const found = answer.ok ? answer.games : [];
    games.push(...found);
    if (found.length < LIMIT) break;
  }
  return games.filter(({ winner, score }) => winner && score);
}

/**
 * @param {string} who
 * @param {GameLine[]} games
 * @param {(game: GameLine) => Side} mine
 */
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

/**
 * The games of each person, of those with the most first.
 * @param {GameLine[]} games
 */
function people(games) {
  const names = [...new Set(games.map((game) => game.players.challenger))];
  const theirs = names.map((name) => games.filter((game) => game.players.challenger === name));
  return theirs.sort((a, b) => b.length - a.length).slice(0, MOST_PEOPLE);
}

connectHead();
const games = await lastGames();
text(byId("over"), tn("{n} game counted.", "{n} games counted.", { n: games.length }));
byId("figures").append(
  row(t("the house"), games, () => "house"),
  ...people(games).map((theirs) =>
    row(called("challenger", theirs[0].players.challenger), theirs, () => "challenger"),
  ),
);
const scores = new Map();
for (const { score } of games) {
  const key = `${score?.house} – ${score?.challenger}`;
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
