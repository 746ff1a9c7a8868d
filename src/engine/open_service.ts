// Owns bringing a programme into service: its directory, its token formats and their keys.

import { BoundedMap } from '../lib/bounded_map.ts';
import type { CallLimits } from '../lib/calls/exchange.ts';
import { present } from '../lib/present.ts';
import type { MemberDirectory } from '../members/directory.ts';
import type { HookCredentials } from '../members/hook.ts';
import { createHttpDirectory } from '../members/http_directory.ts';
import { createStoreDirectory } from '../members/store_directory.ts';
import type { Programme } from '../programme/programme.ts';
import { Windows } from '../store/windows.ts';
import { type FetchedKeys, fetchedKeys } from '../token/assertions/fetched_keys.ts';
import {
  accessTokenType,
  identityTokenType,
  jwtSigner,
  payloadSigner,
  refreshTokenType,
} from '../token/jwt.ts';
import {
  type KeyChest,
  openFormerKeys,
  openKeyChest,
  type PublishedKeys,
} from '../token/key_chest.ts';
import {
  identityKeyRules,
  signingKeyRules,
  type SigningRules,
  tokenKeyRules,
} from '../token/key_rules.ts';
import { ProvenHeaders } from '../token/proven_headers.ts';
import { rememberingOpener } from '../token/sealed/access_text.ts';
import { tokenIds } from '../token/token_ids.ts';
import { openTokenKeys } from '../token/token_keys.ts';
import { tokenVerifier } from '../token/token_verifier.ts';
import { clientLikeSubject } from './failure.ts';
import { FirstBrowsers } from './login/transaction.ts';
import type { Foundation, Service } from './service.ts';
import { mayHaveEnded } from './token_forms.ts';

/** As many as of JWTs (token_verifier.ts). */
const rememberedTokens = 20_000;
/** Windows by kind of report, of which there are three. */
const mostReports = 3;

export interface ServiceOptions {
  /** For the hook of its member directory, where it has one. */
  readonly credentials?: HookCredentials | undefined;
  /** Limits of an answer of that hook; the usual ones if left out. */
  readonly hookLimits?: CallLimits | undefined;
  /** The service that this one replaces: logins and counts that began there go on here. */
  readonly former?: Service | undefined;
}

/**
 * Readies a programme; makes its first token key if it has none, and its first signing keys where it
 * issues JWTs.
 */
export async function openService(
  programme: Programme,
  foundation: Foundation,
  { credentials, hookLimits, former }: ServiceOptions = {},
): Promise<Service> {
  const { id, access, refresh } = programme;
  const { store, keyRecords: records = store, keyring, clock, environment } = foundation;
  const isLive = environment === 'live';
  if (isLive && programme.sandbox !== undefined) {
    const detail = 'the environment is live: no request can force a failure';
    foundation.log.error('sandbox_ignored', { programme: id, detail });
  }
  const bindsAtPage = programme.login.endpoint.binds === 'first_page';
  const service = {
    ...foundation,
    ...present({
      firstBrowsers: bindsAtPage ? (former?.firstBrowsers ?? new FirstBrowsers()) : undefined,
      sandbox: isLive ? undefined : programme.sandbox,
      fetchedKeys: openFetchedKeys(programme, foundation, former),
    }),
    programme,
    tokenKeys: await openTokenKeys({
      programme: id,
      records,
      keyring,
      environment,
      clock,
      rules: tokenKeyRules(programme),
    }),
    hasEndedTokens: await mayHaveEnded(programme, foundation),
    directory: openDirectory(programme, foundation, { credentials, hookLimits }),
    tokenIds: tokenIds(
      access.tokenId,
      foundation.node,
      former?.tokenIds.last,
      access.beside.grants.size === 0 ? 2 : 4,
    ),
    openAccess: rememberingOpener(rememberedTokens),
    formedTokens: new BoundedMap<string, string>(rememberedTokens),
    provenHeaders: new ProvenHeaders(),
    reports: former?.reports ?? new Windows(mostReports),
  };
  const { issuer: own, audience, identity } = programme;
  // Tokens that were issued before the file named an issuer, or after it named none, go on being good.
  const issuer = [access.issuer, own];
  const keys = await openKeys(programme, foundation, signingKeyRules(programme));
  const ownKeys = await openKeys(programme, foundation, identityKeyRules(programme));
  const signer = keys?.signer;
  const identitySigner = ownKeys?.signer ?? signer;
  return Object.freeze({
    ...service,
    keys: [keys, ownKeys].filter((one) => one !== undefined),
    ...present({
      // No key of identity tokens vouches for an access token (HOSTILE 35).
      verifyAccessToken:
        keys && tokenVerifier({ type: accessTokenType, issuer, audience, keyOf: keys.verifier }),
      signAccess: signer && access.isSigned ? jwtSigner(signer, accessTokenType) : undefined,
      signRefresh:
        signer && refresh.format === 'jwt' ? jwtSigner(signer, refreshTokenType) : undefined,
      signIdentity: identitySigner && identity && payloadSigner(identitySigner, identityTokenType),
    }),
  });
}

/** The keys of a kind, those of former times too; undefined where there are none. */
async function openKeys(
  { id, identity }: Programme,
  { store, keyRecords: records = store, keyring, clock, signsElsewhere }: Foundation,
  rules: SigningRules,
): Promise<(PublishedKeys & Partial<KeyChest>) | undefined> {
  const { kind, algorithm } = rules;
  const parts = { programme: id, records, clock };
  if (algorithm !== undefined) {
    return openKeyChest({ ...parts, rules: { ...rules, algorithm }, keyring });
  }
  return openFormerKeys({
    ...parts,
    rules,
    signsElsewhere: () => signsElsewhere?.(id, kind) ?? false,
    awaitsKeys: kind === 'identity_key' && identity !== undefined,
  });
}

/** Sets that the former service has fetched are still used. */
function openFetchedKeys(
  { id: programme, clients }: Programme,
  { clock, log, jwksNetworks: networks = [], jwksAuthorities: authorities }: Foundation,
  former: Service | undefined,
): FetchedKeys | undefined {
  if (clients.assertions === undefined) return undefined;
  const warn = (detail: string): void => log.error('key_set_unreachable', { programme, detail });
  return former?.fetchedKeys ?? fetchedKeys({ programme, clock, networks, warn, authorities });
}

/** Asks nothing before the first login. */
function openDirectory(
  programme: Programme,
  { store, clock }: Foundation,
  { credentials, hookLimits: limits }: ServiceOptions,
): MemberDirectory {
  const { id, members } = programme;
  if (members.directory === 'store') return apart(programme, createStoreDirectory(id, store));
  if (credentials === undefined) throw new Error(`${id} has no credentials for its directory`);
  const { url, concurrency } = members;
  const connection = { programme: id, url, concurrency, credentials, clock, limits };
  return apart(programme, createHttpDirectory(present(connection)));
}

/** Refuses a member whose subject could be a client's in tokens (C-9). */
function apart(programme: Programme, directory: MemberDirectory): MemberDirectory {
  return {
    ...directory,
    async verify(attempt) {
      const told = await directory.verify(attempt);
      if (told.outcome === 'match' && programme.isClientSubject(told.member.subject)) {
        throw clientLikeSubject(programme);
      }
      return told;
    },
  };
}
