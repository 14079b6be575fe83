// URLs of the site, below the path it is served under.

// "" at the root of a site, "/casino" below a path; tests in node have no document.
const ROOT_META = globalThis.document?.querySelector?.("meta[name=casino-root]");
const ROOT = ROOT_META?.getAttribute("content") ?? "";

/** @param {string} path from the root of the casino, "/games" */
export const urlFor = (path) => ROOT + path;

/** @param {string} game */
export const gamePage = (game) => urlFor(`/game/${encodeURIComponent(game)}`);

/** @param {string} player */
export const playerPage = (player) => urlFor(`/player/${encodeURIComponent(player)}`);

/** @param {string} table */
export const tablePage = (table) => urlFor(`/table/${encodeURIComponent(table)}`);

/** Return the URL of the page that verifies a game. @param {string} game */
export const auditPage = (game) => urlFor(`/audit?game=${encodeURIComponent(game)}`);
