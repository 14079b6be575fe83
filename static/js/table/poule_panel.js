// The poule of a table: who is in, in which order they play, who has won, and what happens next.

import { byId, fill, h, isClosing, text, within } from "../common/dom.js";
import { botName } from "../felt/avatars.js";
import { isYou } from "../state/tokens.js";
import { pouleResultText } from "../text/event_text.js";
import { loadTexts, signed, t, tn } from "../text/i18n.js";

await loadTexts("poule_panel");

/** The poule that runs here, or the last one. @type {State.Table["poule"]} */
let latest = null;

const winsToTake = () => Number(byId("poule").dataset.wins);

/** @param {State.Table} state */
export function renderPoule(state) {
  const { poule, you } = state;
  latest = poule ?? latest;
  const key = JSON.stringify([poule, you.name]);
  const entrants = inLine(state);
  fill(within(byId("poule"), "ol"), key, () =>
    entrants.map(({ name, isYou }, at) =>
      h(
        at < 2 ? "li.plays" : "li",
        h("b", at < 2 ? t("playing") : at === 2 ? t("next") : String(at + 1)),
        h("bdi", isYou ? t("You") : name),
        at || !poule?.wins ? null : h("em", tn("{n} win", "{n} wins in a row", { n: poule.wins })),
      ),
    ),
  );
  const wins = winsToTake();
  text(byId("poule-next"), nextText(state, wins, isClosing()));
  const line = byId("poule-line");
  fill(line, key, () => [
    line.firstElementChild,
    ...lineParts(entrants, poule?.wins ?? 0, wins).map((part) => h("span", ` · ${part}`)),
  ]);
}

/**
 * Return what a phone says of a poule: what the leader still needs, and who plays next.
 * @param {ReturnType<typeof inLine>} entrants
 * @param {number} won by the first in a row
 * @param {number} wins that take the pool
 */
export function lineParts([first, , next], won, wins) {
  const values = { name: first?.name, n: wins - won };
  const needs = first?.isYou
    ? tn("you need {n} more win", "you need {n} more wins", values)
    : tn("{name} needs {n} more win", "{name} needs {n} more wins", values);
  const then = next && t("then {name}", { name: next.isYou ? t("you") : next.name });
  return [won && needs, then].filter(Boolean);
}

/** Return the entrants in the order of play. @param {Pick<State.Table, "poule" | "you">} state */
export function inLine({ poule, you }) {
  if (!poule) return [];
  return poule.line.map((number) => {
    const player = poule.entrants[number - 1];
    const name = number === poule.person ? player : botName({ house: player });
    return { name, isYou: player === you.name };
  });
}

/**
 * What a game brings an entrant, with its parts; no cents while they stay in the poule.
 * @typedef {{cents: number | null, lines: string[][]}} PouleOutcome
 */

/**
 * Return what a finished game brings the viewer, if they played it or the poule is over for them.
 * @param {State.Table} state
 * @param {State.Table["poule"]} poule
 * @param {number} wins that take the pool
 * @returns {PouleOutcome | null}
 */
export function pouleOutcome(state, poule = state.poule ?? latest, wins = winsToTake()) {
  const { game, pouleResult: result } = state;
  if (!poule?.person || (result && "void" in result)) return null;
  const { entrants, person: own, line, pool_cents } = poule;
  if (entrants[own - 1] !== state.you.name) return null;
  if (!isYou(state, "challenger") && !(result && line.includes(own))) return null;
  if (!result && !game?.forfeit) {
    const stays = line[0] === own ? "" : `${t("You are still in the poule.")} `;
    return { cents: null, lines: [[stays + nextText(state, wins)]] };
  }
  const lost = -pool_cents / entrants.length;
  const entry = [t("Your entry"), signed(lost)];
  if (result?.winner !== own) return { cents: lost, lines: [entry] };
  return { cents: lost + pool_cents, lines: [entry, [t("The pool"), signed(pool_cents)]] };
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
  const [first, second, next] = inLine(state);
  const isLast = wins - poule.wins === 1;
  if (!poule.person && (closes || queue.length))
    return isLast
      ? t("If {name} wins, they take the pool. If not, every entry goes back.", { name: first.name })
      : t("This poule of bots ends with this game: every entry goes back.");
  if (!next) return t("Only two are left: they play on until one takes the pool.");
  if (!isLast)
    return next.isYou
      ? t("The winner stays, and you play next.")
      : t("The winner stays, and {name} plays next.", { name: next.name });
  const values = { name: first.name, next: next.name };
  if (first.isYou)
    return t("One more win, and you take the pool. If you lose, {next} takes your place.", values);
  if (second.isYou)
    return t("{name} needs this game to take the pool. If you win it, you stay and meet {next}.", values);
  return next.isYou
    ? t("One more win, and {name} takes the pool. If not, you play next.", values)
    : t("One more win, and {name} takes the pool. If not, {next} plays next.", values);
}
