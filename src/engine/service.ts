// Owns what one programme needs to be served: its rules beside store, clock, keys and directory.

import type { Clock, Instant } from '../lib/clock.ts';
import type { MemberDirectory } from '../members/directory.ts';
import type { Programme } from '../programme/programme.ts';
import type { Environment, Store } from '../store/contract.ts';
import type { Windows } from '../store/windows.ts';
import type { PublishedKeys } from '../token/key_chest.ts';
import type { Keyring } from '../token/keyring.ts';
import type { ProvenHeaders } from '../token/proven_headers.ts';
import type { TokenFormat } from '../token/token_format.ts';
import type { TokenVerifier } from '../token/token_verifier.ts';
import type { FamilyMembers } from './family_member.ts';
import type { FirstBrowsers } from './login/first_browsers.ts';

/** What happens inside and is told to operators, never to clients. No secret goes in. */
export interface Log {
  /** Something broke; `detail` is for people, in one line. */
  readonly error: (event: string, facts: Readonly<Record<string, string>>) => void;
}

/** What all programmes share. */
export interface Foundation {
  readonly store: Store;
  readonly clock: Clock;
  readonly keyring: Keyring;
  readonly log: Log;
  /** Told to gateways; the store belongs to it (C-3). */
  readonly environment: Environment;
  /** This process's number among those that share the store; absent where it is alone. */
  readonly node?: () => number;
}

/** One programme, ready to answer. */
export interface Service extends Foundation {
  readonly programme: Programme;
  readonly directory: MemberDirectory;
  readonly accessTokens: TokenFormat;
  readonly refreshTokens: TokenFormat;
  /**
   * Logins that ended on a page, by address: each costs a line of this process's log (HOSTILE 59).
   * The store does not count them: such a page tells of the store's outages too.
   */
  readonly stoppedLogins: Windows;
  /** Present where a login belongs to the browser that gets its page first. */
  readonly firstBrowsers?: FirstBrowsers;
  /** Authorization headers of clients and gateways that proved right. */
  readonly provenHeaders: ProvenHeaders;
  readonly newTokenId: (now: Instant) => string;
  readonly families: FamilyMembers;
  /** Present where tokens are JWTs. */
  readonly keys?: PublishedKeys;
  readonly verifyAccessToken?: TokenVerifier;
}
