// The rules and other text with cards in it.

import { connectHead } from "../common/head.js";
import { showAllCards } from "../felt/card_rows.js";

showAllCards();
connectHead();
