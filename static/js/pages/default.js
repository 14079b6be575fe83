// The entry of pages of text, which may have cards in it.

import "../common/head.js";
import { showAllCards } from "../felt/card_row.js";

showAllCards();
