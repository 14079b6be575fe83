// What has become of a person's sealed text, in words.

/** @type {Record<string, string>} */
export const CUT_WORDS = {
  none: "",
  sealed: "Your text is sealed into the cut.",
  opened: "Your text is opened: the book is locked.",
  counted: "Your text counted: nobody foresaw these cards.",
  missed: "Your text did not count: the house could have foreseen these cards. Your stake was returned.",
};

/** Why a stake came back though somebody stood against it. */
export const RETURNED = "Your browser sent its part of the shuffle too late: your stake was returned.";
