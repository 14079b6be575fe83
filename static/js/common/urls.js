// The addresses of the site, below the path it is served under.

// "" at the top of a site, "/casino" below one; tests on node have no page.
const ROOT_META = globalThis.document?.querySelector?.("meta[name=casino-root]");
const ROOT = ROOT_META?.getAttribute("content") ?? "";

/**
 * An address of the site.
 * @param {string} path from the root of the casino, "/games"
 */
export const urlFor = (path) => ROOT + path;

/**
 * The page of a finished game.
 * @param {string} game
 */
export const gamePage = (game) => urlFor(`/game/${encodeURIComponent(game)}`);

/**
 * The page of a player.
 * @param {string} player
 */
export const playerPage = (player) => urlFor(`/player/${encodeURIComponent(player)}`);

/**
 * The page of a table.
 * @param {string} table
 */
export const tablePage = (table) => urlFor(`/table/${encodeURIComponent(table)}`);

/**
 * The page that checks a finished game.
 * @param {string} game
 */
export const auditPage = (game) => urlFor(`/audit?game=${encodeURIComponent(game)}`);
