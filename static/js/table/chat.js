// Chat by fixed phrases, translated on each page. Loaded after the page.

import { refusal } from "../common/api.js";
import { all, byId, h, show, within } from "../common/dom.js";
import { closeOutside } from "../common/preferences.js";
import { faceSvg } from "../felt/avatars.js";
import { ownSeat } from "../state/table_state.js";
import { bettorName } from "../text/event_text.js";
import { loadTexts, t } from "../text/i18n.js";

await loadTexts("chat");

const SHOWN_MS = 4500;
const MAX_SHOWN = 3;

export class Chat {
  /** @param {(phrase: Wire.ChatMessage["phrase"]) => Promise<Wire.Answer<object>>} send */
  constructor(send) {
    this.send = send;
    closeOutside(byId("phrases", HTMLDetailsElement));
    for (const button of all("[data-phrase]", HTMLButtonElement))
      button.addEventListener("click", () => this.say(button.dataset.phrase ?? ""));
  }

  // Only entered visitors may speak.
  /** @param {State.Table} state */
  render(state) {
    const named = Boolean(state.you.name);
    const idle = !byId("my-bets").hidden || !byId("bet-wait").hidden;
    show(byId("phrases"), named);
    show(byId("quick"), named && idle && state.game !== null && ownSeat(state) !== "challenger");
  }

  /** @param {string} phrase */
  async say(phrase) {
    const box = byId("phrases", HTMLDetailsElement);
    if (box.open) box.querySelector("summary")?.focus();
    box.open = false;
    const answer = await this.send(/** @type {Wire.ChatMessage["phrase"]} */ (phrase));
    if (!answer.ok) this.show(h("li.bad", await refusal(answer)));
  }

  /** @param {Wire.ChatMessage} said @param {State.Table} state */
  receive({ player, phrase }, state) {
    const words = within(byId("phrase-list"), `[data-phrase=${phrase}]`).textContent;
    const name = bettorName(player, state.you);
    const face = h("span.face-of", { "aria-hidden": "true" });
    face.innerHTML = faceSvg(player);
    const claps = player === state.you.name ? t("You applaud") : t("{name} applauds", { name });
    const line = phrase === "applause" ? claps : words;
    const who = phrase === "applause" ? null : h("b", { dir: "auto" }, name);
    this.show(h(`li.${phrase}`, face, who, h("span", line)));
  }

  /** @param {HTMLElement} item */
  show(item) {
    const list = byId("said");
    list.append(item);
    while (list.children.length > MAX_SHOWN) list.firstElementChild?.remove();
    setTimeout(() => item.remove(), SHOWN_MS);
  }
}
