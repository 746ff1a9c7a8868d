// Owns the key `accepts`: which warnings a file acknowledges, and that each name in it is one.

import type { Definition } from '../language/definition.ts';
import { nodeAt } from '../lib/document.ts';
import { byPosition, type Fault, quote } from '../lib/fault.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import type { Complaint } from '../schema/faults.ts';
import { departures, warningNames } from './warnings.ts';

/** A departure from an RFC, or another warning that was accepted. */
export interface Departure {
  /** At the line that makes it, which may stand in the variant. */
  readonly warning: Fault;
  /** Why it is accepted. */
  readonly reason?: string;
  /** `check` does not tell it. */
  readonly isQuiet?: true;
}

export function* acceptanceComplaints({ accepts }: Definition): Iterable<Complaint> {
  for (const name of Object.keys(accepts)) {
    if (warningNames.includes(name)) continue;
    const hint = didYouMean(name, warningNames) ?? 'check shows the names in brackets';
    yield [['accepts', name], `there is no warning ${quote(name)}`, hint];
  }
}

/** Reasons by the names of warnings; of a file with faults, as far as they can be read. */
function acceptedIn(document: YamlNode): ReadonlyMap<string, string> {
  const node = nodeAt(document, ['accepts']);
  const entries = node?.kind === 'map' ? [...node.entries] : [];
  return new Map(
    entries.flatMap(([name, { node: reason }]) =>
      reason.kind === 'scalar' && typeof reason.value === 'string' ? [[name, reason.value]] : [],
    ),
  );
}

/** What is left to tell of faults after those that the document accepts, and all departures. */
export function withoutAccepted(
  document: YamlNode,
  faults: readonly Fault[],
): { readonly told: readonly Fault[]; readonly departures: readonly Departure[] } {
  const reasons = acceptedIn(document);
  const listed = faults.flatMap((warning): readonly Departure[] => {
    const { name } = warning;
    if (name === undefined) return [];
    const reason = reasons.get(name);
    if (reason !== undefined) return [{ warning, reason }];
    const departure = departures.get(name);
    if (departure === undefined) return [];
    return [departure.isQuiet === true ? { warning, isQuiet: true } : { warning }];
  });
  return {
    told: faults.filter(
      ({ name = '' }) => !reasons.has(name) && departures.get(name)?.isQuiet !== true,
    ),
    departures: listed.toSorted((one, other) => byPosition(one.warning, other.warning)),
  };
}
