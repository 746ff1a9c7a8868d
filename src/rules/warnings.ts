// Owns the list of warnings by name: departures from RFC 6749, RFC 9700 and others, which are allowed, since
// the dialect is the contract; and settings that may be slips.

import type { Definition } from '../language/definition.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { Complaint } from '../schema/complaint.ts';
import { bothWarnings } from './authentication.ts';
import { answerDepartures } from './departures_in_answers.ts';
import { requestDepartures } from './departures_in_requests.ts';
import { nameWarnings } from './inputs.ts';
import { lifetimeWarnings } from './lifetimes.ts';
import { levelWarnings } from './scopes.ts';

/** What is found in a definition; `document` is the merged file, for the positions of its keys. */
export type Check = (definition: Definition, document: YamlNode) => Iterable<Complaint>;

export const departures: Readonly<Record<string, Check>> = {
  ...requestDepartures,
  ...answerDepartures,
};

/** Those that are found in the definition. */
export const warnings: Readonly<Record<string, Check>> = {
  ...departures,
  both_refused: bothWarnings,
  level_order: levelWarnings,
  tokens_outlive_login: lifetimeWarnings,
  unused_input: nameWarnings,
};

/**
 * Every warning about a programme file that its key `accepts` can name. `idle_null` is found where a file is
 * laid over its variant (own_slips.ts), `heavy_logos` in files beside it (logos.ts).
 */
export const warningNames: readonly string[] = [
  ...Object.keys(warnings),
  'idle_null',
  'heavy_logos',
];
