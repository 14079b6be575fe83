// Why the house said no, in the page's language. Asked for only when it first does.

import { cardName } from "./cards.js";
import { chips, language } from "./i18n.js";

const texts = (await import(`./texts/refusals/${language}.js`)).default;

// What the house says, and the sentence for it, of the rules with its article. A named part is a
// value of the sentence: one in cents becomes chips, a card its name.
const KNOWN = [
  [/^a name has 1 to (?<n>\d+) printed characters/, "name_length"],
  [/^the name .+ may not be used/, "name_form"],
  [/is the table's bot: use your own name/, "name_of_bot"],
  [/^the page is too old/, "old_page"],
  [/^\w+: must be less than or equal|: name a smaller whole number$/, "number_great"],
  [/^\w+: must be greater than or equal/, "number_small"],
  [/^\w+: a whole number from (?<least>-?\d+) to (?<most>\d+) is expected/, "number_range"],
  [/^(?<game>.+) is no finished game here/, "game_unfinished"],
  [/is not running here/, "game_gone"],
  [/^a unit of (?<unit_cents>-?\d+) cents is too small: bet (?<least_cents>\d+) or more/, "unit_small"],
  [/^the limit of one bet is (?<most_cents>\d+) cents/, "limit_bet"],
  [/^the limit of one bettor is (?<most_cents>\d+) cents and (?<taken_cents>\d+) are taken: bet (?<left_cents>\d+)/, "limit_bettor"],
  [/^the limit of one side is (?<most_cents>\d+) cents and (?<taken_cents>\d+) are taken: bet (?<left_cents>\d+)/, "limit_side"],
  [/^(?<most_cents>\d+) cents may be put at risk here in a day, (?<taken_cents>\d+) are/, "limit_day"],
  [/^your own limit of stake a day is (?<most_cents>\d+) cents/, "own_stake"],
  [/^your own limit of loss a day is (?<most_cents>\d+) cents/, "own_loss"],
  [/^you are taking a break/, "own_break"],
  [/^the bet puts (?<risk_cents>\d+) cents at risk, but the wallet holds (?<have_cents>\d+)/, "bet_dear"],
  [/^the seat needs (?<risk_cents>\d+) cents, but the wallet holds (?<have_cents>\d+)/, "seat_dear"],
  [/^\S+ holds (?<have_cents>\d+) cents, but (?<risk_cents>\d+) are needed/, "chips_short"],
  [/^no cards are dealt yet/, "no_cards"],
  [/^the house is to act/, "house_acts"],
  [/^you do not play in this game/, "not_playing"],
  [/^you neither have the seat/, "no_seat"],
  [/^you have left already/, "left_already"],
  [/^you have the seat, or wait/, "seat_yours"],
  [/^no bets are taken now/, "no_bets"],
  [/^nothing is signed yet/, "nothing_signed"],
  [/^there is no receipt/, "no_receipt"],
  [/^the casino has a fault/, "fault"],
  [/^the game is over/, "game_over", "R7.1"],
  [/^the deal is over/, "deal_over", "R7.1"],
  [/^the deal is annulled/, "deal_annulled", "R8.2"],
  [/^the turn-up is not shown yet/, "turn_up_due", "R2.4"],
  [/^a card of the elder's is exposed/, "answer_exposed", "R8.2"],
  [/^the elder must propose or stand/, "decision_due", "R3.1"],
  [/^the dealer must accept or refuse/, "answer_due", "R3.2"],
  [/^the (elder|dealer) must exchange now/, "exchange_due", "R3.3"],
  [/^the cards are being played/, "card_due", "R5.1"],
  [/^there is no proposal to answer/, "no_proposal", "R3.2"],
  [/^standing is for the elder/, "stand_late", "R3.4"],
  [/^no card of the elder's waits/, "not_exposed", "R8.2"],
  [/^no lead out of turn lies/, "nothing_back", "R8.4"],
  [/^the king is marked already/, "king_marked", "R4.1"],
  [/ does not hold (?<held_card>..), the king of trumps/, "no_king", "R4.1"],
  [/^the king must be announced before/, "king_late", "R4.2"],
  [/^no revoke (can happen|has happened)/, "no_revoke", "R8.5"],
  [/^the stock is empty/, "stock_empty", "R3.4"],
  [/^the cards are to be played as they are/, "propose_late", "R3.6"],
  [/^cards are exchanged only after/, "not_accepted", "R3.3"],
  [/^(?<n>\d+) cards are asked for, but the stock holds (?<stock>\d+)/, "stock_short", "R3.5"],
  [/^at least one card must be exchanged/, "exchange_none", "R3.3"],
  [/^(?<held_card>..) is not in the hand of/, "not_held"],
];

/** The sentence that fits best what the house has said: its name, the article, its values. */
export function known({ code, message = "" }) {
  for (const [pattern, name, article] of KNOWN) {
    const found = message.match(pattern);
    if (found) return { name, article, values: found.groups ?? {} };
  }
  return { name: code, values: {} };
}

/** Why the house said no; nothing if it said so in a way that no page knows. */
export function said(answer) {
  const { name, article, values } = known(answer);
  const sentence = texts[name]?.replace(/\{(\w+)\}/g, (whole, part) => written(values, part) ?? whole);
  return sentence && article ? `${sentence} (${article})` : sentence;
}

function written(values, part) {
  const cents = values[`${part}_cents`];
  const card = values[`${part}_card`];
  return cents ? chips(Number(cents)) : card ? cardName(card) : values[part];
}
