// Pages of text with cards in them.

import { connectHead } from "../common/head.js";
import { showAllCards } from "../felt/card_rows.js";

showAllCards();
connectHead();
