// What a finished game is called in a list: its table and its number, in place of its id. Pure.

import { t } from "./i18n.js";

// Said: Salon Garnier; Petit Salon; Grand Salon
/** @type {Record<string, string>} */
const TITLES = { garnier: "Salon Garnier", petit: "Petit Salon", grand: "Grand Salon" };

/**
 * "petit-000036" is the game "Petit Salon 36".
 * @param {string} game
 */
export function gameName(game) {
  const [, table = game, number = ""] = game.match(/^(.*)-0*(\d+)$/) ?? [];
  const title = TITLES[table] ? t(TITLES[table]) : t("Table {name}", { name: table });
  return `${title} ${number}`.trim();
}
