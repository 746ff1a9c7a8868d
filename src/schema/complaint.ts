// Owns what a check across keys finds, as an error or as a warning: how it is said, not where it
// stands in a file.

import type { Path } from '../lib/fault.ts';

/** What is wrong, and at which key. */
export type Complaint = readonly [path: Path, message: string, hint?: string];

/** What departs from an RFC, at which key, from which section, and what contains it. */
export type Departure = readonly [path: Path, what: string, section: string, contained: string];
