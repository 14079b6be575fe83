// The games in which this browser has staked chips and whose settlement no page of it has shown yet.
//
// Each with its name: a page that came before the table was opened, or after it closed, does not know it.

import { gameName } from "../text/game_names.js";
import { recall, remember } from "./dom.js";

const KEY = "missed";

/** Return the names by game. @returns {Record<string, string>} */
export const unseenGames = () => JSON.parse(recall(KEY) || "{}");

/** @param {string} game */
export const addUnseen = (game) => save({ ...unseenGames(), [game]: gameName(game) });

/** @param {string} game */
export const removeUnseen = (game) => save({ ...unseenGames(), [game]: undefined });

/** @param {Record<string, string | undefined>} games */
const save = (games) => remember(KEY, JSON.stringify(games).replace("{}", ""));
