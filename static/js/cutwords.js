// What has become of a person's sealed text, in words.

/** @type {Record<string, string>} */
export const CUT_WORDS = {
  none: "",
  sealed: "Your part of the shuffle is sealed: nobody can read it yet.",
  opened: "Your part of the shuffle is open: no more bets are taken.",
  counted: "Your part of the shuffle counted: nobody foresaw these cards.",
  missed:
    "Your part of the shuffle did not count: the house could have foreseen these cards. Your stake was returned.",
};

/** Why a stake came back though somebody stood against it. */
export const RETURNED = "Your browser sent its part of the shuffle too late: your stake was returned.";
