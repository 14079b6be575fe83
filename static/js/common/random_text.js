// Ids and secrets of this browser.

/** Return 128 random bits in hex. randomUUID() needs https. */
export const randomText = () =>
  Array.from(crypto.getRandomValues(new Uint32Array(4)), (n) => n.toString(16).padStart(8, "0")).join("");
