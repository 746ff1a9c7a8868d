// Owns the list of warnings by name: departures from RFC 6749, RFC 9700 and others, which are allowed, since
// the dialect is the contract; and settings that may be slips.

import type { Definition } from '../language/definition.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { Complaint } from '../schema/faults.ts';
import { errorTextWarnings } from './answers.ts';
import { bothWarnings } from './authentication.ts';
import { answerDepartures } from './departures/answers.ts';
import { errorDepartures } from './departures/errors.ts';
import {
  type JoinedDeparture,
  departuresOfKeys,
  joinedComplaints,
  keyDepartures,
  requestDepartures,
} from './departures/requests.ts';
import { nameWarnings } from './inputs.ts';
import { lifetimeWarnings } from './lifetimes.ts';
import { levelWarnings } from './scopes.ts';

/** What is found in a definition; `document` is the merged file, for the positions of its keys. */
export type Check = (definition: Definition, document: YamlNode) => Iterable<Complaint>;

/** Departures by several keys. */
const joinedDepartures: Readonly<Record<string, JoinedDeparture>> = {
  ...requestDepartures,
  ...answerDepartures,
  ...errorDepartures,
};

/** All departures, and whether each is listed alone. */
export const departures: ReadonlyMap<string, Pick<JoinedDeparture, 'isQuiet'>> = new Map([
  ...Object.entries(joinedDepartures),
  ...Array.from(
    Map.groupBy(departuresOfKeys, ({ name }) => name),
    ([name, [first]]) => [name, first ?? {}] as const,
  ),
]);

const slips: Readonly<Record<string, Check>> = {
  both_refused: bothWarnings,
  level_order: levelWarnings,
  tokens_outlive_login: lifetimeWarnings,
  untrue_text: errorTextWarnings,
  unused_input: nameWarnings,
};

/** The warnings that are found in the definition, each with its name. */
export function* warningsOf(
  definition: Definition,
  document: YamlNode,
): Iterable<readonly [name: string, complaint: Complaint]> {
  for (const [name, departure] of Object.entries(joinedDepartures)) {
    for (const complaint of joinedComplaints(departure, definition)) yield [name, complaint];
  }
  yield* keyDepartures(definition);
  for (const [name, check] of Object.entries(slips)) {
    for (const complaint of check(definition, document)) yield [name, complaint];
  }
}

/**
 * Every warning about a programme file that its key `accepts` can name. `idle_null` is found where a file is
 * laid over its variant (slips.ts), `heavy_logos` in files beside it (logos.ts).
 */
export const warningNames: readonly string[] = [
  ...departures.keys(),
  ...Object.keys(slips),
  'idle_null',
  'heavy_logos',
];
