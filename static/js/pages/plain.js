// The pages that need nothing but their head.

import { connectHead } from "../head.js";

connectHead();
