// Owns what a check across keys finds: how it is said, not where it stands in a file.

import type { Path } from '../lib/fault.ts';

/** What is wrong, and at which key. */
export type Complaint = readonly [path: Path, message: string, hint?: string];
