// Names of finished games: table and number instead of an id. Pure.

import { t } from "./i18n.js";

// Said: Salon Garnier; Petit Salon; Grand Salon; Cabinet
/** @type {Record<string, string>} */
const TITLES = {
  garnier: "Salon Garnier",
  petit: "Petit Salon",
  grand: "Grand Salon",
  cabinet: "Cabinet",
};

/** Return true for the id of a poule. @param {string} game */
export const isPoule = (game) => /-p\d+$/.test(game);

/**
 * Return the name of a game or a poule: "petit-000036" is "Petit Salon #36".
 * @param {string} game
 * @param {string | null} [host] who opened its table; while that is open, the page knows what it is called
 */
export function gameName(game, host) {
  const [, table = game, number = ""] = game.match(/^(.*)-p?0*(\d+)$/) ?? [];
  const opened = JSON.parse(globalThis.document?.body?.dataset?.titles ?? "{}");
  const usual = TITLES[table] ? t(TITLES[table]) : t("Table {name}", { name: table });
  const title = opened[table] ?? (host ? t("{name}’s table", { name: host }) : usual);
  const name = number ? t("{table} #{n}", { table: title, n: number }) : title;
  return isPoule(game) ? `${t("Poule")} ${name}` : name;
}

const LINKED = /(?:\/game\/|[?&]game=)([^/?&#\s]+)/;
const DIGITS = 6;
const normalized = (/** @type {string} */ words) => words.normalize("NFKC").trim().toLocaleLowerCase();

/**
 * Return the id for a link, an id, "Petit Salon #36", "petit 36", or "36" if there is one table; else null.
 * @param {string} typed
 * @param {string[]} tables
 */
export function parseGameName(typed, tables) {
  const linked = typed.match(LINKED)?.[1];
  const words = normalized(linked ? linked.replace(/%20|\+/g, " ") : typed);
  const [, tableName = "", number = ""] = words.match(/^(.*?)(?:[\s#–—-]|\bn[o°])*(\d+)$/) ?? [];
  if (!number) return null;
  const isNamed = (/** @type {string} */ table) =>
    [table, gameName(table)].map(normalized).includes(tableName);
  const only = tables.length === 1 ? tables[0] : "";
  // A closed table still has games.
  const table = tables.find(isNamed) ?? (tableName.includes(" ") ? "" : tableName || only);
  return table ? `${table}-${number.replace(/^0+(?=.)/, "").padStart(DIGITS, "0")}` : null;
}
