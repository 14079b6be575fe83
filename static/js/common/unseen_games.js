// The games in which this browser has staked chips and whose settlement no page of it has shown yet.

import { recall, remember } from "./dom.js";

const KEY = "unseen";

export const unseenGames = () => recall(KEY).split(" ").filter(Boolean);

/** @param {string} game */
export const addUnseen = (game) => remember(KEY, [...new Set([...unseenGames(), game])].join(" "));

/** @param {string} game */
export const removeUnseen = (game) => {
  const others = unseenGames().filter((one) => one !== game);
  remember(KEY, others.join(" "));
};
