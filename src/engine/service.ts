// Owns the parts that answer requests to one programme: its rules, the store, clock, keys and directory.

import type { AuditStream } from '../audit/stream.ts';
import type { BoundedMap } from '../lib/bounded_map.ts';
import type { Clock } from '../lib/clock.ts';
import type { MemberDirectory } from '../members/directory.ts';
import type { ProgrammeId } from '../oauth/client.ts';
import type { SigningKind } from '../oauth/signing_key.ts';
import type { Programme } from '../programme/programme.ts';
import type { Sandbox } from '../programme/sandbox.ts';
import type { Environment, Store } from '../store/contract.ts';
import type { Windows } from '../store/windows.ts';
import type { FetchedKeys } from '../token/assertions/fetched_keys.ts';
import type { JwtSigner, PayloadSigner } from '../token/jwt.ts';
import type { PublishedKeys } from '../token/key_chest.ts';
import type { Keyring } from '../token/keyring.ts';
import type { ProvenHeaders } from '../token/proven_headers.ts';
import type { openAccess } from '../token/sealed/access_text.ts';
import type { TokenIds } from '../token/token_ids.ts';
import type { TokenKeys } from '../token/token_keys.ts';
import type { TokenVerifier } from '../token/token_verifier.ts';
import type { EventOf } from './log_events.ts';
import type { FirstBrowsers } from './login/transaction.ts';

/** The operators' log; clients see nothing of it. No secret goes in. */
export interface Log {
  /** Something broke; `detail` is one line for people. */
  readonly error: (event: EventOf<'error'>, facts: Readonly<Record<string, string>>) => void;
}

/** The parts that all programmes share. */
export interface Foundation {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly log: Log;
  /** Absent where there is no audit stream. */
  readonly audit?: Pick<AuditStream, 'isBlocked' | 'trouble'>;
  /** The store for changes of keys that the audit stream is told of; `store` if left out. */
  readonly keyRecords?: Store;
  /** Told to gateways; the store belongs to it (C-3). */
  readonly environment: Environment;
  /** Networks, besides public addresses, in which clients may publish their keys. */
  readonly jwksNetworks?: readonly string[];
  /** Vouch for their servers, in PEM, besides the public authorities; may change. */
  readonly jwksAuthorities?: () => string | undefined;
  /** This process's number among those that share the store; absent where it is alone. */
  readonly node?: () => number;
  /** Whether another server of the store signs by a programme's keys of a kind; none where it is left out. */
  readonly signsElsewhere?: (programme: ProgrammeId, kind: SigningKind) => boolean;
}

/** One programme, ready to answer. */
export interface Service extends Foundation {
  readonly programme: Programme;
  /** Present where partners may force failures: never in the live environment. */
  readonly sandbox?: Sandbox;
  readonly directory: MemberDirectory;
  readonly tokenKeys: TokenKeys;
  readonly tokenIds: TokenIds;
  /** Whether a later token may have ended one (`live: one`), by this file or an earlier one. */
  readonly hasEndedTokens: boolean;
  /** Opens sealed access tokens, of which it remembers the good ones. */
  readonly openAccess: typeof openAccess;
  /** Ordinary texts of access tokens that have a form of their own, by those that came lately. */
  readonly formedTokens: BoundedMap<string, string>;
  /** Present where access tokens are JWTs. */
  readonly signAccess?: JwtSigner;
  /** Present where refresh tokens are JWTs. */
  readonly signRefresh?: JwtSigner;
  /** Present where there are identity tokens. */
  readonly signIdentity?: PayloadSigner;
  /** Present where a login belongs to the browser that gets its page first. */
  readonly firstBrowsers?: FirstBrowsers;
  /** Authorization headers whose secret was checked and right, so that their digest is not made again. */
  readonly provenHeaders: ProvenHeaders;
  /** What the log is told of once in a while: refresh tokens ahead of their login, wrong API keys. */
  readonly reports: Windows;
  /** Key sets that clients publish; present where the programme takes assertions. */
  readonly fetchedKeys?: FetchedKeys;
  /** Those that the key set publishes, by their kinds; none where no token is a JWT. */
  readonly keys: readonly PublishedKeys[];
  /** Present where access tokens are or were JWTs. */
  readonly verifyAccessToken?: TokenVerifier;
}
