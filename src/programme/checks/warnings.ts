// Owns the list of warnings by name: departures from the RFCs, which are allowed, and settings that
// may be slips.

import { bothWarnings } from './authentication.ts';
import type { Departures } from './departures/departure.ts';
import { departures } from './departures/departures.ts';
import { nameWarnings } from './inputs.ts';
import { lifetimeWarnings } from './lifetimes.ts';
import { levelWarnings } from './scopes.ts';

/** Those that are found in the definition. */
export const warnings: Departures = {
  ...departures,
  both_refused: bothWarnings,
  level_order: levelWarnings,
  tokens_outlive_login: lifetimeWarnings,
  unused_input: nameWarnings,
};

/** Those that are found where a file is laid over its variant: own_slips.ts. */
const ofText = ['idle_null'];

/** Those that are found in files beside it: logos.ts. */
const ofFilesBeside = ['heavy_logos'];

/** Every warning about a programme file that its key `accepts` can name. */
export const warningNames: readonly string[] = [
  ...Object.keys(warnings),
  ...ofText,
  ...ofFilesBeside,
];
