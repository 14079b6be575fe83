// What is told about a table: its last games, each linked to its replay, and how the cards are shuffled. Loaded
// after the page.

import { all, byId, fill, h, show, text, within } from "../common/dom.js";
import { copyInvitation } from "../common/share_link.js";
import { auditPage, gamePage } from "../common/urls.js";
import { gameKind, gameNumber } from "../text/event_text.js";
import { loadTexts, t, tn } from "../text/i18n.js";

/** @import { ShuffleCommitment } from "./shuffle_commitment.js" */

await loadTexts("about_panel");

const closing = within(byId("about"), ".close");
// Closed, the panel gives the focus back to the button that opens it.
closing.addEventListener("click", () => within(document, "[data-opens=about]").focus());
document.addEventListener("keydown", ({ key }) => {
  if (key === "Escape" && byId("about").matches(".open") && !document.querySelector("dialog[open]"))
    closing.click();
});
for (const one of all("#invite, #invite-guests", HTMLElement)) one.addEventListener("click", copyInvitation);
if (document.getElementById("host-open")) import("../common/host_dialog.js");

/** @param {State.Table} state @param {ShuffleCommitment | null} commitment */
export function renderAbout(state, commitment) {
  renderRecentGames(state);
  renderFairness(state, commitment);
}

/** @param {State.Table} state */
function renderRecentGames(state) {
  const games = state.road.slice(-36).reverse();
  fill(byId("road"), games.map((one) => one.game).join(), () =>
    games.map((one, n) => {
      const isPoule = document.getElementById("poule");
      const values = { n: gameNumber(one.game), kind: gameKind(one.stake) };
      const words = !one.winner
        ? t("Game {n}: void", values)
        : isPoule
          ? t("Game {n}: {kind}", values)
          : t("Game {n}: the {winner}, {kind}", { ...values, winner: t(one.winner) });
      return h(
        "li",
        h(
          isPoule ? "a" : `a.${one.winner ?? "void"}`,
          { href: gamePage(one.game), title: words, tabindex: n ? -1 : null },
          h("span", { "aria-hidden": "true" }, one.winner ? String(one.stake) : "·"),
          h("span.visually-hidden", words),
        ),
      );
    }),
  );
}

// For Tab the last games are one stop: the arrows go from one to the next.
byId("road").addEventListener("keydown", (event) => {
  const step = { ArrowLeft: -1, ArrowRight: 1 }[event.key];
  const links = [...all("#road a", HTMLAnchorElement)];
  if (step) links[links.indexOf(/** @type {HTMLAnchorElement} */ (event.target)) + step]?.focus();
  // Not a side to bet on.
  if (step) event.stopPropagation();
});

/** @param {State.Table} state @param {ShuffleCommitment | null} commitment */
function renderFairness(state, commitment) {
  const { game } = state;
  show(byId("trust"), game !== null);
  text(byId("game-id"), game ? gameNumber(game.id) : "");
  text(byId("commitment"), game?.commitment ?? "");
  text(byId("cut-count"), game ? cutCount(game) : "");
  show(byId("verify-link"), Boolean(game && (game.phase === "over" || game.phase === "void")));
  if (!game) return;
  byId("verify-link", HTMLAnchorElement).href = auditPage(game.id);
  // The state of the viewer's own contribution, loudly where it did not count. What this browser has verified comes
  // first; the server speaks only for commitments made elsewhere.
  const checked = commitment?.state(game.id) ?? "none";
  const fate = checked === "none" ? state.you.text || "none" : checked;
  const words = commitment?.stateText(fate) ?? "";
  text(byId("cut-state"), words);
  show(byId("cut-state"), Boolean(words));
  byId("cut-state").classList.toggle("bad", ["missed", "alarm"].includes(fate));
}

// Say how many shared in the shuffle; a game without contributions is marked.
/** @param {State.Game} game */
function cutCount({ phase, seals, cutsOpened }) {
  const n = phase === "betting" || phase === "locked" ? seals.length : cutsOpened;
  return n || phase === "betting"
    ? tn("{n} bettor took part in the shuffle", "{n} bettors took part in the shuffle", { n })
    : t("no bettor took part in the shuffle");
}
