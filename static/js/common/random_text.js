// Ids and secrets of this browser.

/** Return 128 random bits in hex. randomUUID() needs https. */
export const randomText = () =>
  Array.from(crypto.getRandomValues(new Uint8Array(16)), (n) => n.toString(16).padStart(2, "0")).join("");
