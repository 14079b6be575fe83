// Checks receipts given on standard input as {receipt, key}, one a line: "" for a good one, or why not.

import { createInterface } from "node:readline";
import { checkReceipt } from "../../../static/js/verify/receipt.js";

for await (const line of createInterface({ input: process.stdin })) {
  const { receipt, key } = JSON.parse(line);
  try {
    const { signed } = await checkReceipt(receipt, key);
    console.log(signed ? "" : "not signed");
  } catch (error) {
    console.log(error.message);
  }
}
