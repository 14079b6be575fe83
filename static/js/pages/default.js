// The entry of pages that need only the header.

import { connectHead } from "../common/head.js";

connectHead();
