// The poule of a table: who is in, in which order they play, who has won, and what happens next.

import { byId, fill, h, isClosing, text, within } from "../common/dom.js";
import { botName } from "../felt/avatars.js";
import { pouleResultText } from "../text/event_text.js";
import { loadTexts, t, tn } from "../text/i18n.js";

await loadTexts("poule_panel");

/** @param {State.Table} state */
export function renderPoule(state) {
  const { poule } = state;
  const box = byId("poule");
  const names = entrantNames(poule, state.you.name);
  fill(within(box, "ol"), JSON.stringify([poule, names]), () =>
    names.map((name, at) =>
      h(
        at < 2 ? "li.plays" : "li",
        h("b", { "aria-hidden": "true" }, String(poule?.line[at])),
        h("bdi", name),
        at || !poule?.wins ? null : h("em", tn("{n} win", "{n} wins in a row", { n: poule.wins })),
      ),
    ),
  );
  text(byId("poule-next"), nextText(state, Number(box.dataset.wins), isClosing()));
  if (poule?.person) text(byId("sheet-begins"), t("when this poule is over"));
}

/** Return the names in the order of play. @param {State.Table["poule"]} poule @param {string} [you] */
function entrantNames(poule, you) {
  if (!poule) return [];
  const { entrants, line, person, seats } = poule;
  return line.map((number) => {
    const name = entrants[number - 1];
    if (number === person) return name === you ? t("You") : name;
    return botName(seats.challenger === number ? "challenger" : "house", name);
  });
}

/**
 * Return how the last poule ended, or what happens next in the running one.
 * @param {Pick<State.Table, "poule" | "pouleResult" | "you" | "queue">} state
 * @param {number} wins that take the pool
 * @param {boolean} [closes] whether the table does
 */
export function nextText(state, wins, closes) {
  const { poule, queue } = state;
  if (!poule) return pouleResultText(state) || t("The next poule has not begun yet.");
  // A bot goes by another name in the other seat: its number stays.
  const [first, , next] = entrantNames(poule).map((name, at) => `${name} (${poule.line[at]})`);
  const missing = wins - poule.wins;
  if (!poule.person && (closes || queue.length))
    return missing === 1
      ? t("If {first} wins, they take the pool. If not, every entry goes back.", { first })
      : t("This poule of bots ends with this game: every entry goes back.");
  if (!next) return t("Only two are left: they play on until one takes the pool.");
  return missing === 1
    ? t("One more win, and {first} takes the pool. If not, {next} plays next.", { first, next })
    : t("The winner stays, and {next} plays next.", { next });
}
