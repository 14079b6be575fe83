// verify.html follows the browser: no server knows the language of its reader.

const codes = navigator.languages.map((code) => code.slice(0, 2));
const { casinoTexts } = /** @type {any} */ (globalThis);
document.documentElement.lang = codes.find((code) => code === "en" || code in casinoTexts) ?? "en";
