// The addresses of the site, below the path it is served under.

// "" at the top of a site, "/casino" below one; tests on node have no page.
const NAMED = globalThis.document?.querySelector?.("meta[name=casino-root]");
const ROOT = NAMED?.getAttribute("content") ?? "";

/**
 * An address of the site.
 * @param {string} path from the root of the casino, "/games"
 */
export const at = (path) => ROOT + path;

/**
 * The page of a finished game.
 * @param {string} game
 */
export const gamePage = (game) => at(`/game/${encodeURIComponent(game)}`);

/**
 * The page of a player.
 * @param {string} player
 */
export const playerPage = (player) => at(`/player/${encodeURIComponent(player)}`);

/**
 * The page of a table.
 * @param {string} table
 */
export const tablePage = (table) => at(`/table/${encodeURIComponent(table)}`);

/**
 * The page that checks a finished game.
 * @param {string} game
 */
export const auditPage = (game) => at(`/audit?game=${encodeURIComponent(game)}`);
