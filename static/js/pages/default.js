// The pages that need nothing but their head.

import { connectHead } from "../common/head.js";

connectHead();
