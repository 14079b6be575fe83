// What a check of a game or a log has found, as a line of a list.

import { h } from "../common/dom.js";
import { gameName } from "./game_names.js";
import { t, tn } from "./i18n.js";

/** @import { Fault } from "../verify/deal.js" */
/** @import { Problem } from "../verify/log_export.js" */
/** @import { Finding } from "../verify/verify_game.js" */
/** @typedef {string | ((n: string) => string)} FindingText */

// What only a log or a file can have wrong is not said where it is right.
/** @type {Record<string, [good: FindingText, bad: FindingText]>} */
const FINDING_TEXTS = {
  number: ["", "This line has the number {n}: a line before it is missing or was added"],
  line: ["", "This line is damaged or out of place"],
  tree: ["", "The lines up to this one are NOT those that the signature covers"],
  signature: ["", "The signature over the lines up to this one is false"],
  key: ["", "The key was changed without being signed by both keys"],
  foreign: ["", "This is NOT the key of the log: another casino has signed it"],
  entry: ["", "This entry does not balance, or an account falls below 0"],
  game: ["", "The game cannot be read: something is missing or damaged"],
  book: ["", "The bets of this game are NOT those that the casino locked"],
  exchanges: ["", "The cards exchanged are NOT those that were sealed"],
  "turn-up": ["", "A card turned up is NOT the one that the numbers give"],
  commitment: [
    "The casino’s secret number is the one fixed before the bets",
    "The casino’s secret number is NOT the one fixed before the bets",
  ],
  cut: [
    (n) =>
      n === "0"
        ? t("The casino’s secret number alone made the shuffle")
        : tn(
            "The one bettor’s number went into the shuffle",
            "The numbers of {n} bettors went into the shuffle",
            { n },
          ),
    "The bettors’ numbers did NOT go into the shuffle",
  ],
  chain: [
    "The casino’s number is the one that was fixed beforehand for this game (no. {n})",
    "Wrong secret for this position in the table’s chain",
  ],
  seals: [
    (n) =>
      n === "0"
        ? t("No bettor added a secret number")
        : tn(
            "The bettor’s number is the one that was sealed",
            "All {n} numbers of bettors are those that were sealed",
            { n },
          ),
    "A bettor’s number is NOT the one that was sealed, or one is left out",
  ],
  "first dealer": ["The cut cards decide who dealt first", "By the cut cards, the other player deals first"],
  deck: [
    "The pack of deal {n} is in the order that the numbers give",
    "The pack of deal {n} is NOT in the order that the numbers give",
  ],
  play: [
    (n) =>
      tn(
        "Every action and every card of the one deal follows the rules",
        "Every action and every card of {n} deals follows the rules",
        { n },
      ),
    "Against the rules: {n}",
  ],
  result: ["The score is {n}, as stated", "The score is {n}, NOT as stated"],
  matching: [
    (n) =>
      tn(
        "The two sides were made equal by the rule ({n} bet)",
        "The two sides were made equal by the rule ({n} bets)",
        { n },
      ),
    "The sides were NOT made equal by the rule",
  ],
  settlement: [
    (n) =>
      n === "0"
        ? t("There was no bet to pay")
        : tn("The one bet was paid to the cent", "All {n} bets were paid to the cent", { n }),
    "Someone was NOT paid correctly",
  ],
  seed: ["", "The secret number is missing: the shuffle cannot be checked"],
  balance: ["Losses equal winnings plus commission", "Chips have appeared or vanished"],
};

/** @param {Fault} fault */
function faultText({ message, deal, said }) {
  const position = said
    ? t("deal {deal}, {said}", { deal: deal ?? 0, said })
    : deal
      ? t("deal {deal}", { deal })
      : "";
  return position ? `${position}: ${t(message)}` : t(message);
}

/** Say that a file has faults. @param {number} n */
export const faultsText = (n) =>
  `✗ ${tn("{n} fault: this file is not what a fair casino gives out.", "{n} faults: this file is not what a fair casino gives out.", { n })}`;

/** Say that nothing is wrong with some games and their payments. @param {number} n */
export const gamesPaidText = (n) =>
  tn(
    "The one game was dealt, played and paid by the rules.",
    "All {n} games were dealt, played and paid by the rules.",
    { n },
  );

/** Return the line that says a finding. @param {Finding} finding */
export function findingRow({ what, good, detail, fault }) {
  const n = fault ? faultText(fault) : detail;
  const text = FINDING_TEXTS[what][good ? 0 : 1];
  const words = typeof text === "string" ? t(text, { n }) : text(n);
  const mark = good === null ? "?" : good ? "✓" : "✗";
  return h(
    `li.${good === null ? "unknown" : good ? "good" : "bad"}`,
    h("b", { "aria-hidden": "true" }, mark),
    ` ${words}`,
  );
}

/** Return the line that says what is wrong, and with which line or game of a file. @param {Problem} problem */
export function problemRow(problem) {
  const { of = "" } = problem;
  const name = /^\d+$/.test(of) ? t("Line {n}", { n: Number(of) }) : /-\d+$/.test(of) ? gameName(of) : of;
  const row = findingRow(problem);
  row.append(" ", h("small", name));
  return row;
}
