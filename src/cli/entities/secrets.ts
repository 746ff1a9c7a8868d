// Owns making, reading, checking and showing secrets, API keys and passwords.

import { dateOrNull, dateText } from '../../lib/duration.ts';
import { randomKey } from '../../lib/random.ts';
import { hashPassword, longestPassword } from '../../members/password.ts';
import type { Client, ProgrammeId, StoredSecret } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import { type CommandError, failed, wrongUsage } from '../../server/exit.ts';
import type { OpenStore } from '../../server/open_store.ts';
import type { Environment } from '../../store/contract.ts';
import type { LookUp } from '../../store/kinds.ts';
import { warn } from '../output.ts';
import { readLine } from '../standard_input.ts';
import { type Uses, useText } from '../table.ts';
import { longer, secretFault, secretWarning, shortFault } from './secret_rules.ts';
import type { Shown } from './shown.ts';

/** DESIGN, "Semantics": generated secrets and API keys have 256 bits. */
const keyBytes = 32;

/** NIST SP 800-63B 3.1.1.2: no edition has allowed fewer. */
const shortestGoodPassword = 8;

export function newSecret(): string {
  return randomKey(keyBytes);
}

/** The prefix shows people and secret scanners the kind and environment of a found key (C-3). */
export function newApiKey(environment: Environment): string {
  return `jw_${environment}_${randomKey(keyBytes)}`;
}

/** Reads a partner's existing secret from standard input; warns if it is short (see `expectLong`). */
export async function readGivenSecret(): Promise<string> {
  const secret = await readLine('secret');
  const fault = secretFault(secret);
  if (fault !== undefined) throw wrongUsage(`the secret on standard input ${fault}`);
  const warning = secretWarning('secret', secret);
  if (warning !== undefined) warn(warning);
  return secret;
}

/** Another client whom a secret alone would name, too, where a dialect finds clients by it. */
export async function findHolder(
  { store, keyring }: Pick<OpenStore, 'store' | 'keyring'>,
  programme: Programme,
  secret: string,
  own?: string,
): Promise<Client | undefined> {
  if (ownLookUps(programme).length === 0) return undefined;
  const digest = keyring.secretDigest(secret);
  const holders = await store.findBy('client', 'secret', programme.id, digest);
  return holders.find(({ id }) => id !== own);
}

/**
 * The look-ups of which the store gives no two clients one key, in the same step that writes it
 * (HOSTILE 79): secrets, if clients are found by them, or if the programme's file has faults and a server
 * may go by a former one.
 */
export function ownLookUps(programme: Programme | undefined): readonly LookUp<'client'>[] {
  const methods = programme?.clients.authentication.methods ?? ['secret'];
  return methods.includes('secret') ? ['secret'] : [];
}

/** The error of a secret that another client has, by which that is found. */
export function secretTaken(programme: ProgrammeId): CommandError {
  return failed(
    `another client of ${programme} has that secret, by which it is found: make a new one`,
  );
}

/** The hash of a password from standard input; warns if the password is short. */
export async function readPasswordHash(): Promise<string> {
  const password = await readLine('password');
  const fault = passwordFault(password);
  if (fault !== undefined) throw wrongUsage(`the password ${fault}`);
  const hash = await hashPassword(password);
  const length = Array.from(password.normalize('NFC')).length;
  if (length < shortestGoodPassword) {
    warn(
      `the password has ${length} characters; with fewer than ${shortestGoodPassword} it can be guessed`,
    );
  }
  return hash;
}

/** The text never contains the password. */
export function passwordFault(password: string): string | undefined {
  return password.length > longestPassword
    ? `is longer than ${longestPassword} characters`
    : undefined;
}

/** Holds a given secret to the length of a key if clients are found by it; if it may be short, warns. */
export function expectLong(
  secret: string | undefined,
  own: readonly string[],
  mayBeShort = false,
): void {
  const fault = secret !== undefined && own.includes('secret') ? shortFault(secret) : undefined;
  if (fault === undefined) return;
  const message = `the secret ${fault}`;
  if (!mayBeShort) throw wrongUsage(`${message}; ${longer}, or allow it: --insecure-short-secret`);
  warn(`INSECURE: ${message}`);
}

/** Secrets without digests, which help an attacker who has the master key. */
export function showSecrets<Name extends string>(
  json: Name,
  label: string,
  secrets: readonly StoredSecret[],
  uses?: Uses,
): Shown<Name> {
  const views = secrets
    .toSorted((one, other) => one.createdAt - other.createdAt)
    .map(({ createdAt, expiresAt, digest }) => ({
      created_at: dateText(createdAt),
      expires_at: dateOrNull(expiresAt),
      ...(uses && { last_used_at: dateOrNull(uses.get(digest)) }),
    }));
  const lines = views.map(({ created_at, expires_at, last_used_at }) => {
    const end = expires_at === null ? '' : `, ends ${expires_at}`;
    return `made ${created_at}${end}${last_used_at === undefined ? '' : `, ${useText(last_used_at)}`}`;
  });
  return { json, label, value: views, lines };
}
