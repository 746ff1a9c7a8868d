// Owns the key sets that clients publish at an address: fetching them, and how long a fetched set is used.

import { request } from 'node:https';
import { isIP } from 'node:net';
import { createSecureContext, rootCertificates, type SecureContext } from 'node:tls';

import { BoundedMap } from '../../lib/bounded_map.ts';
import { type CircuitBreaker, createBreaker } from '../../lib/calls/circuit_breaker.ts';
import { CallFailure, type CallLimits, exchange } from '../../lib/calls/exchange.ts';
import {
  type AddressTest,
  callableAddress,
  guardedLookup,
} from '../../lib/calls/public_addresses.ts';
import { type Clock, type Instant, type Milliseconds, milliseconds } from '../../lib/clock.ts';
import { createGate, type Gate, GateFull } from '../../lib/gate.ts';
import { counters } from '../../lib/metrics/families.ts';
import { present } from '../../lib/present.ts';
import type { ProgrammeId } from '../../oauth/client.ts';
import type { ClientKey } from '../../oauth/client_certificate.ts';
import { Overloaded, Unavailable } from '../../oauth/failure.ts';
import { mostKeySetBytes, readKeySet, UnusableKeySet } from './key_set.ts';

/** A key that its owner takes back is refused after this time. */
const lifetime = milliseconds(10 * 60_000);

/** An owner's server that fails for longer than this ends what it published before. */
const longestOutage = milliseconds(60 * 60_000);

/** Between two fetches of a set that is there: anybody can name a key that it does not have. */
const pauseBetween = milliseconds(60_000);

export const usualFetchLimits: CallLimits = {
  connect: milliseconds(2000),
  total: milliseconds(5000),
  bytes: mostKeySetBytes,
};

const fetches = counters(
  'jetway_key_set_fetches_total',
  'Fetches of key sets that clients publish (JWKS). Outcomes: fetched; failed: no answer, or not status 200; unusable: no set of public keys; left_alone: not asked, since it failed too often; overloaded: too many waited.',
  'programme',
  'outcome',
);

export interface KeySetOptions {
  readonly programme: ProgrammeId;
  readonly clock: Clock;
  /** Networks, besides public addresses, in which sets may be fetched. */
  readonly networks: readonly string[];
  /** Called if a set could not be fetched again and is still used; at most once a minute for each. */
  readonly warn: (detail: string) => void;
  /** Authorities in PEM that are trusted besides the public ones; may change. */
  readonly authorities?: (() => string | undefined) | undefined;
  readonly limits?: CallLimits | undefined;
}

/** The keys of an address. Rejects with `Unavailable` if there are none to use. */
export type FetchedKeys = (url: string, kid: string | undefined) => Promise<readonly ClientKey[]>;

/** What is known of one address. */
interface Entry {
  readonly breaker: CircuitBreaker;
  keys?: readonly ClientKey[];
  fetchedAt?: Instant;
  triedAt?: Instant;
  /** The fetch that is under way: one at a time. */
  fetching?: Promise<readonly ClientKey[]> | undefined;
}

const rememberedSets = 2000;

export function fetchedKeys(options: KeySetOptions): FetchedKeys {
  const { clock, warn } = options;
  const entries = new BoundedMap<string, Entry>(rememberedSets);
  const fetchSet = createFetching(options);

  const entryOf = (url: string): Entry => {
    const known = entries.get(url) ?? { breaker: createBreaker(clock) };
    entries.set(url, known);
    return known;
  };
  const renew = (url: string, entry: Entry): Promise<readonly ClientKey[]> => {
    entry.fetching ??= fetchSet(url, entry.breaker)
      .then((keys) => {
        entry.keys = keys;
        entry.fetchedAt = clock.now();
        return keys;
      })
      .finally(() => {
        entry.triedAt = clock.now();
        entry.fetching = undefined;
      });
    return entry.fetching;
  };
  return async (url, kid) => {
    const entry = entryOf(url);
    const { keys, fetchedAt = 0 as Instant } = entry;
    if (keys === undefined) return renew(url, entry);
    const now = clock.now();
    const isFresh = isWithin(fetchedAt, lifetime, now);
    const isThere = kid === undefined || keys.some((key) => (key.kid ?? kid) === kid);
    if ((isFresh && isThere) || isWithin(entry.triedAt, pauseBetween, now)) {
      // After a failure: until the next try.
      if (isWithin(fetchedAt, longestOutage, now)) return keys;
    }
    try {
      return await renew(url, entry);
    } catch (error) {
      if (!(error instanceof Unavailable) || !isWithin(fetchedAt, longestOutage, now)) throw error;
      warn(`${error.message}; the keys that it published before are still used`);
      return keys;
    }
  };
}

/** A clock that was set back makes nothing last longer. */
function isWithin(since: Instant | undefined, span: Milliseconds, now: Instant): boolean {
  return since !== undefined && now >= since && now - since < span;
}

/** Of all clients of a programme together. */
const atOnce = { atOnce: 8, waiting: 64 };

function createFetching({
  programme,
  networks,
  authorities,
  limits = usualFetchLimits,
}: KeySetOptions): (url: string, breaker: CircuitBreaker) => Promise<readonly ClientKey[]> {
  const mayCall = callableAddress(networks);
  const contextNow = trusting(authorities);
  const gate: Gate = createGate(atOnce);
  return async (url, breaker) => {
    const count = (outcome: string): void => fetches({ programme, outcome }).add();
    const failed = (outcome: string, error: Error, Cause = Unavailable): Error => {
      count(outcome);
      return new Cause(`the key set at ${new URL(url).host} cannot be fetched: ${error.message}`);
    };
    try {
      const keys = await gate.pass(() =>
        fetchOnce(url, breaker, { mayCall, secureContext: contextNow(), limits }),
      );
      count('fetched');
      return keys;
    } catch (error) {
      if (error instanceof GateFull) throw failed('overloaded', error, Overloaded);
      if (error instanceof CircuitOpen) throw failed('left_alone', error);
      if (error instanceof UnusableKeySet) throw failed('unusable', error);
      if (error instanceof CallFailure) throw failed('failed', error);
      throw error;
    }
  };
}

/** A partner's set may be anywhere: authorities of a file are trusted besides the public ones. */
export function besidePublic(pem: string): string[] {
  return [...rootCertificates, pem];
}

/** A context takes milliseconds to make: it is made when the authorities change. */
function trusting(authorities: KeySetOptions['authorities']): () => SecureContext {
  let [made, pem]: [SecureContext?, string?] = [];
  return () => {
    const now = authorities?.();
    if (made === undefined || now !== pem) {
      pem = now;
      const ca = now === undefined ? undefined : besidePublic(now);
      made = createSecureContext({ minVersion: 'TLSv1.2', ...present({ ca }) });
    }
    return made;
  };
}

class CircuitOpen extends CallFailure {}

interface Calling {
  readonly mayCall: AddressTest;
  readonly secureContext: SecureContext;
  readonly limits: CallLimits;
}

async function fetchOnce(
  url: string,
  breaker: CircuitBreaker,
  calling: Calling,
): Promise<readonly ClientKey[]> {
  const leave = breaker.admit();
  if (leave === undefined) throw new CircuitOpen('it failed too often: circuit open', false);
  try {
    const keys = readKeySet(await get(url, calling));
    leave.succeed();
    return keys;
  } catch (error) {
    leave.fail();
    throw error;
  }
}

/** Without redirects, which lead anywhere, and without connections that are kept: they are rare. */
function get(url: string, { mayCall, secureContext, limits }: Calling): Promise<Uint8Array> {
  const host = new URL(url).hostname.replace(/^\[(.*)\]$/, '$1');
  if (isIP(host) !== 0 && !mayCall(host)) {
    return Promise.reject(new CallFailure('no connection (a private address)', true));
  }
  const options = {
    agent: false as const,
    lookup: guardedLookup(mayCall),
    secureContext,
    // Also where NODE_TLS_REJECT_UNAUTHORIZED=0 is set.
    rejectUnauthorized: true,
    maxHeaderSize: 16 * 1024,
    headers: { Accept: 'application/jwk-set+json, application/json', 'User-Agent': 'Jetway' },
  };
  const open = (): ReturnType<typeof request> => request(url, options);
  // Servers of files tell many media types.
  return exchange({ open, typeFault: () => undefined }, limits);
}
