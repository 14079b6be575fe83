// What has become of a person's sealed text, in words.

/** @type {Record<string, string>} */
export const CUT_WORDS = {
  none: "",
  sealed: "Your text is sealed into the cut.",
  opened: "Your text is opened: the book is locked.",
  counted: "Your text counted: nobody foresaw these cards.",
  missed: "YOUR TEXT DID NOT COUNT: the house could have foreseen these cards. Your bets went back.",
};
