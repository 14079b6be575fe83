// English: the texts themselves are the keys; here only forms that change with a number.

export default {
  "{n} cuts": { one: "{n} cut", other: "{n} cuts" },
  "{n} bets": { one: "{n} bet", other: "{n} bets" },
  "{n} cards in the stock": { one: "{n} card in the stock", other: "{n} cards in the stock" },
  "{n} changes, between {low} and {high}.": {
    one: "{n} change, between {low} and {high}.", other: "{n} changes, between {low} and {high}." },
  "The cut is made of all {n} contributions": {
    one: "The cut is made of the one contribution", other: "The cut is made of all {n} contributions" },
  "Every word and every card of {n} deals is by the rules": {
    one: "Every word and every card of the one deal is by the rules",
    other: "Every word and every card of {n} deals is by the rules" },
  "The two sides were made equal by the rule ({n} bets)": {
    one: "The two sides were made equal by the rule ({n} bet)",
    other: "The two sides were made equal by the rule ({n} bets)" },
  "All {n} bets were paid to the cent": {
    one: "The one bet was paid to the cent", other: "All {n} bets were paid to the cent" },
  "{n} faults: this game was not fair.": {
    one: "{n} fault: this game was not fair.", other: "{n} faults: this game was not fair." },
  "{n} games counted.": { one: "{n} game counted.", other: "{n} games counted." },
};
