// Goes through finished games, told again on standard input one a line, as the replay page does.
//
// Each card lies in one place, something can be said at every step, and the end is the game's.

import assert from "node:assert/strict";
import { createInterface } from "node:readline";
import { pieces } from "../../../static/js/felt/layout.js";
import { replaySteps } from "../../../static/js/state/replay.js";
import { describePhase, eventText } from "../../../static/js/text/event_text.js";

for await (const line of createInterface({ input: process.stdin })) {
  const all = replaySteps(JSON.parse(line));
  all.forEach(({ event, state }, at) => {
    const { hands, trick, taken, away } = state.deal;
    const open = [hands.house, hands.challenger, trick, away].flat().map((slot) => slot.card);
    assert.ok(open.every(Boolean), `a hidden card at ${at}`);
    // Tricks that lie apart when play is taken back are told by their number alone.
    const turned = [...taken.house, ...taken.challenger].flatMap((slot) => slot.card ?? []);
    const cards = [...open, ...turned];
    assert.equal(new Set(cards).size, cards.length, `a card in two places at ${at}`);
    const ids = pieces(state).map((one) => one.id);
    assert.equal(new Set(ids).size, ids.length);
    assert.ok(eventText(event, state) || describePhase(state)[0]);
  });
  const { deal, game } = all.at(-1)?.state ?? {};
  const said = all.filter(({ event }) => event.type === "action").map(({ event }) => event.action);
  console.log(JSON.stringify({ deal: deal?.number ?? 0, score: game?.score, phase: game?.phase, said }));
}
