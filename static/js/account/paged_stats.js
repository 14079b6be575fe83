// Statistics over all games: fetch until the server has counted every game, show as rows.

import { get } from "../common/api.js";
import { byId, h, text } from "../common/dom.js";
import { showLoadError } from "../common/head.js";
import { percent, t, tn } from "../text/i18n.js";
import { wilsonInterval } from "./plots.js";

/**
 * Fetch a statistic until it is complete; null if the server refuses.
 * @template {"/api/leaders" | "/api/statistics" | "/api/players/ID"} Path
 * @param {Path} path
 * @param {string | Record<string, string>} [more]
 * @returns {Promise<Wire.GetAnswers[Path] | null>}
 */
export async function fetchUntilComplete(path, more = {}) {
  // A casino with a long log counts its games over many requests.
  for (;;) {
    const answer = await get(path, more);
    showLoadError(answer);
    if (!answer.ok) return null;
    text(byId("over"), tn("{n} game counted.", "{n} games counted.", { n: answer.games }));
    if (!answer.more) return answer;
  }
}

/** @param {string} who @param {number} won @param {number} games */
export function intervalRow(who, won, games) {
  const { share, least, most } = wilsonInterval(won, games);
  const style = { "--share": share, "--least": least, "--most": most };
  const track = h("i.track", { "aria-hidden": "true", ...style }, h("i.line"), h("i.point"));
  return h(
    "p.span",
    h("span", { dir: "auto" }, who),
    track,
    h("b", percent(share)),
    h("small", t("{won} of {games}", { won, games })),
  );
}
