// Pages of text with cards in them.

import { showAllCards } from "../card_rows.js";
import { connectHead } from "../head.js";

showAllCards();
connectHead();
