// Chat by fixed phrases, translated on each page. Loaded after the page.

import { refusal } from "../common/api.js";
import { byId, h, show } from "../common/dom.js";
import { closeOutside } from "../common/preferences.js";
import { faceSvg } from "../felt/avatars.js";
import { ownSeat } from "../state/table_state.js";
import { bettorName } from "../text/event_text.js";
import { loadTexts, t } from "../text/i18n.js";

/** @import { Answer, ChatMessage } from "../state/messages" */
/** @import { Table } from "../state/table" */

await loadTexts("chat");

/** @type {[phrase: ChatMessage["phrase"], words: string][]} */
const PHRASES = [
  ["applause", "Applaud"],
  ["well_played", "Well played!"],
  ["good_luck", "Good luck!"],
  ["what_luck", "What luck!"],
  ["hard_luck", "Hard luck!"],
  ["close_one", "That was close!"],
  ["thanks", "Thank you!"],
];
/** The most used phrases, always visible. */
const QUICK = PHRASES.slice(0, 2);
const SHOWN_MS = 4500;
const MAX_SHOWN = 3;

export class Chat {
  /** @param {(phrase: ChatMessage["phrase"]) => Promise<Answer<object>>} send */
  constructor(send) {
    this.send = send;
    closeOutside(byId("phrases", HTMLDetailsElement));
    byId("phrase-list").append(...this.buttons(PHRASES));
    this.quick = h(
      "div.quick",
      { hidden: true, role: "group", "aria-label": t("Say something") },
      ...this.buttons(QUICK),
    );
    byId("desk").append(this.quick);
  }

  /** @param {typeof PHRASES} phrases */
  buttons(phrases) {
    return phrases.map(([phrase, words]) =>
      h("button", { type: "button", "data-phrase": phrase, onclick: () => this.say(phrase) }, t(words)),
    );
  }

  // Only entered visitors may speak.
  /** @param {Table} state */
  render(state) {
    const named = Boolean(state.you.name);
    const idle = !byId("my-bets").hidden || !byId("bet-wait").hidden;
    show(byId("phrases"), named);
    show(this.quick, named && idle && state.game !== null && ownSeat(state) !== "challenger");
  }

  /** @param {ChatMessage["phrase"]} phrase */
  async say(phrase) {
    const box = byId("phrases", HTMLDetailsElement);
    if (box.open) box.querySelector("summary")?.focus();
    box.open = false;
    const answer = await this.send(phrase);
    if (!answer.ok) this.show(h("li.bad", await refusal(answer)));
  }

  /** @param {ChatMessage} said @param {Table} state */
  receive({ player, phrase }, state) {
    const [, words] = PHRASES.find(([name]) => name === phrase) ?? [];
    if (!words) return;
    const name = bettorName(player, state.you);
    const face = h("span.face-of", { "aria-hidden": "true" });
    face.innerHTML = faceSvg(player);
    const claps = player === state.you.name ? t("You applaud") : t("{name} applauds", { name });
    const line = phrase === "applause" ? claps : t(words);
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
