// Owns the operators' changes in a crash campaign, and the check that a file shows them.

import { type Instant, milliseconds } from '../../src/lib/clock.ts';
import type { Digest } from '../../src/lib/digest.ts';
import type { ClientId, ProgrammeId } from '../../src/oauth/client.ts';
import type { SigningKeyRecord } from '../../src/oauth/signing_key.ts';
import type { Store } from '../../src/store/contract.ts';
import { aClient, aSigningKey } from '../../test/store/fixtures.ts';
import { type Change, endOf, programme } from './steps.ts';

/** The changes of one round of a lane, in order. */
export function changesOf(name: string): readonly Change[] {
  return [
    { act: 'addClient', id: name },
    { act: 'firstKey', owner: name },
    { act: 'unlock', account: name },
    { act: 'disableClient', id: name },
    { act: 'rotateKey', owner: name },
    { act: 'removeClient', id: name },
  ];
}

/** Makes one change; returns the store's answer. */
export async function change(store: Store, step: Change, now: Instant): Promise<string> {
  switch (step.act) {
    case 'addClient':
      return outcomeOf(
        await store.add('client', [
          aClient({ programme, id: step.id as ClientId, createdAt: now }),
        ]),
      );
    case 'disableClient':
      await store.change('client', programme, step.id as ClientId, (client) => ({
        ...client,
        status: 'disabled',
      }));
      return 'disabled';
    case 'removeClient':
      return String(await store.remove('client', programme, step.id as ClientId, now));
    case 'unlock':
      return unlock(store, step.account as Digest, now);
    default:
      return changeKeys(store, step.owner as ProgrammeId, step.act === 'firstKey', now);
  }
}

function outcomeOf(taken: readonly unknown[]): string {
  return taken.length === 0 ? 'added' : 'taken';
}

/** Locks the account first. */
async function unlock(store: Store, account: Digest, now: Instant): Promise<string> {
  const policy = { attempts: 2, window: milliseconds(900_000), lock: milliseconds(900_000) };
  for (let n = 0; n <= policy.attempts; n += 1) {
    await store.reserveAttempt(programme, account, policy, now);
  }
  return String(await store.settleAttempt(programme, account, 'match', now));
}

/** Adds the first key, or ends it and adds the next one. */
async function changeKeys(
  store: Store,
  owner: ProgrammeId,
  isFirst: boolean,
  now: Instant,
): Promise<string> {
  const key = (kid: string): SigningKeyRecord =>
    aSigningKey(kid, { programme: owner, createdAt: now, signsFrom: now });
  const keys = await store.changeAll('signing_key', { programme: owner }, (before) =>
    isFirst
      ? [...before, key('first')]
      : [...before.map((one) => ({ ...one, retiresAt: endOf(now) })), key('next')],
  );
  return String(keys.length);
}

/** The row that a query finds, by SQL of the campaign's own: the store under test does not judge itself. */
export type Ask = (
  sql: string,
  ...values: readonly (string | number | Uint8Array)[]
) => Record<string, unknown> | undefined;

const ofProgramme = `programme = '${programme}'`;
const statusOfClient = `SELECT record ->> 'status' AS status FROM registered
  WHERE kind = 'client' AND ${ofProgramme} AND id = ?`;
const isRemovedClient = `SELECT
  EXISTS (SELECT 1 FROM removed WHERE kind = 'client' AND ${ofProgramme} AND id = ?1)
  AND EXISTS (SELECT 1 FROM revocation WHERE ${ofProgramme} AND owner = 'client ' || ?1) AS yes`;
const endOfKey = `SELECT record ->> 'retiresAt' AS retires_at FROM registered
  WHERE kind = 'signing_key' AND programme = ? AND id = ?`;
const attemptAt = `SELECT * FROM login_attempt WHERE ${ofProgramme} AND key = ?`;

/** A fault in words. An unanswered step may have happened or not, but not half. */
export function faultOfChange(ask: Ask, step: Change, isSure: boolean): string | undefined {
  switch (step.act) {
    case 'addClient':
    case 'disableClient':
    case 'removeClient':
      return clientFault(ask, step.act, step.id, isSure);
    case 'unlock':
      return isSure && ask(attemptAt, step.account) !== undefined
        ? 'an account that was unlocked is locked'
        : undefined;
    default:
      return keyFault(ask, step.owner, step.act === 'rotateKey', isSure);
  }
}

function clientFault(ask: Ask, act: string, id: string, isSure: boolean): string | undefined {
  const status = ask(statusOfClient, id)?.['status'];
  const isRemoved = ask(isRemovedClient, id)?.['yes'] === 1;
  if (status !== undefined && isRemoved) return 'half of a removal is there';
  if (!isSure) return undefined;
  if (status === undefined && !isRemoved) return 'a client is lost';
  if (act === 'disableClient' && status === 'active') return 'a client is active again';
  return act === 'removeClient' && !isRemoved ? 'a removed client is back' : undefined;
}

function keyFault(
  ask: Ask,
  owner: string,
  isRotation: boolean,
  isSure: boolean,
): string | undefined {
  const first = ask(endOfKey, owner, 'first');
  const next = ask(endOfKey, owner, 'next');
  const isEnding = (first?.['retires_at'] ?? null) !== null;
  if (isRotation && isEnding !== (next !== undefined)) return 'half of a rotation is there';
  return isSure && (isRotation ? next : first) === undefined ? 'a key is lost' : undefined;
}
