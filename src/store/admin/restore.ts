// Owns restoring a store: from a backup, or where it is, once the means of its database have brought it
// back to an earlier time. No grant that ended since becomes valid again.

import { later } from '../../lib/clock.ts';
import { present } from '../../lib/present.ts';
import type { Era } from '../../oauth/grant.ts';
import type { RestoreReport, StoreReport } from '../care.ts';
import type { Environment } from '../contract.ts';
import { farEra, firstEra } from '../judgement.ts';
import { floorAfterRestore } from '../kept_texts.ts';
import { floorRow, putFloor } from '../sql/kept_rows.ts';
import { ofEverybody, putRevocation } from '../sql/revocations.ts';
import { withSum } from '../sql/table.ts';
import { granted, keptTexts, passing, voidedOf, vouching } from '../sql/tables.ts';
import { damagedStore, StoreUnusable } from '../unusable.ts';
import { type CarriedTable, carryStore, registrations } from './carry.ts';
import { factsOf, putFacts, type StoreFacts } from './facts.ts';
import { numberOf, type Place, type Row } from './place.ts';

/** A place whose store is replaced. */
export interface Replacing {
  /**
   * Puts a new store in the place of the one that is there, if any, in one step; no server has it open.
   * @param fill writes the new store, from nothing
   * @param stamp goes on from what was there, as far as that can be read
   */
  readonly replace: (
    environment: Environment,
    fill: (place: Place) => Promise<unknown>,
    stamp: (place: Place, replaced: StoreFacts | undefined) => Promise<void>,
  ) => Promise<Pick<RestoreReport, 'replaced'> & StoreReport>;
}

/**
 * Replaces a store by a backup. Clients, members, signing keys, removals and revocations are those of the
 * backup. All codes and tokens are void, JWTs too.
 * @param brought the report on the backup
 * @throws StoreUnusable for a backup that is not sound or of another environment, and for a place that
 * servers use; nothing has changed then. Unavailable
 */
export async function restoreStore(
  source: Place,
  brought: StoreReport,
  target: Replacing,
  environment: Environment,
): Promise<RestoreReport> {
  expectRestorable(brought, environment);
  const facts = await factsOf(source);
  const report = await target.replace(
    environment,
    (place) => carryStore(facts, source, place, registrations, isRestored),
    (place, replaced) => stamp(place, facts, replaced),
  );
  return { ...report, voided: voidedOf(brought.counts) };
}

function expectRestorable(report: StoreReport, environment: Environment): void {
  if (report.damage.length > 0) throw damagedStore(report.path, report.damage.join('; '));
  if (report.environment === environment) return;
  throw new StoreUnusable(
    `the backup ${report.path} is of environment ${report.environment}; this configuration is for ${environment}`,
    `name a backup of ${environment}, or the configuration of ${report.environment}`,
  );
}

const kindColumn = registrations.find(({ name }) => name === 'registered')?.columns.indexOf('kind');

/** Not the keys that vouch for access tokens, of which some were revoked since the backup. */
function isRestored({ name }: CarriedTable, row: Row): boolean {
  return name !== 'registered' || !vouching.some((kind) => kind === row[kindColumn ?? 0]);
}

/**
 * Voids all codes and tokens in a store, in a transaction that keeps servers away.
 * @returns how many there were, by table or kind
 */
export async function voidInPlace(
  place: Place & { readonly empty: (tables: readonly string[]) => Promise<void> },
): Promise<Readonly<Record<string, number>>> {
  const facts = await factsOf(place);
  const counts: Record<string, number> = {};
  for (const { name } of granted) {
    counts[name] = await numberOf(place, `SELECT count(*) FROM ${name}`);
  }
  for (const kind of vouching) {
    const gone = await place.run('DELETE FROM registered WHERE kind = :kind RETURNING 1', { kind });
    counts[kind] = gone.length;
  }
  await place.empty([...granted, ...passing].map(({ name }) => name));
  await stamp(place, facts, facts);
  return counts;
}

/** Voids the tokens of clients and used assertions, and goes on at the time of what was replaced. */
async function stamp(
  place: Place,
  facts: StoreFacts,
  replaced: StoreFacts | undefined,
): Promise<void> {
  // Also the eras that a lost store may have had after this backup.
  const ended = farEra(facts.era, replaced?.era ?? firstEra);
  const { recordedTime, recordedUptime } = replaced?.recordedTime === undefined ? facts : replaced;
  const now = await place.now(replaced);
  const floor = floorAfterRestore(later(now, recordedTime ?? now));
  await place.write(putFloor, [withSum(keptTexts, floorRow(floor))]);
  await place.write(putRevocation, [ofEverybody(ended)]);
  const { recordedTime: _time, recordedUptime: _uptime, ...others } = facts;
  const goesOn = present({ recordedTime, recordedUptime });
  await putFacts(place, { ...others, ...goesOn, era: (ended + 1) as Era });
}
