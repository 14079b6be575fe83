// The strip that calls players back to their game from other pages. Loaded where the viewer has a seat.

import { loadTexts, t } from "../text/i18n.js";
import { get } from "./api.js";
import { byId, fill, h, recall, remember } from "./dom.js";
import { tablePage } from "./urls.js";

await loadTexts("waiting_game");

const REFRESH_MS = 10_000;
// A screen reader announces what is added to it later.
const strip = h("p.waiting-game", { role: "status" });
document.querySelector(".skip")?.after(strip);
let timer = 0;

/** Show the strip while the viewer's game runs; look again until they have left the seat. */
export async function showWaitingGame() {
  const table = recall("seat");
  const href = tablePage(table);
  if (document.hidden || location.pathname === href) return;
  const seen = table ? await get("/api/tables/ID", table) : null;
  const name = byId("purse-name").textContent ?? "";
  const isSeated = seen?.ok ? [seen.holder, ...seen.queue].includes(name) : seen?.code === "unavailable";
  const waits = isSeated && seen?.ok && seen.players?.challenger === name;
  fill(strip, String(waits), () =>
    waits ? [h("a", { href }, t("Your game is waiting: back to the table"))] : [],
  );
  if (!isSeated) return remember("seat", "");
  clearTimeout(timer);
  timer = window.setTimeout(showWaitingGame, REFRESH_MS);
}
