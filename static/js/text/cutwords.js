// What is said of a stake that came back.

/** Why a stake came back though somebody stood against it. */
export const STAKE_RETURNED = "Your browser sent its part of the shuffle too late: your stake was returned.";
