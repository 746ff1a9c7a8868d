// Owns bringing a programme into service: its directory, its token formats and their keys.

import { BoundedMap } from '../lib/bounded_map.ts';
import { after } from '../lib/clock.ts';
import { present } from '../lib/present.ts';
import type { MemberDirectory } from '../members/directory.ts';
import type { HookCredentials, HookLimits } from '../members/hook_connection.ts';
import { createHttpDirectory } from '../members/http_directory.ts';
import { createStoreDirectory } from '../members/store_directory.ts';
import type { FamilyId } from '../oauth/grant.ts';
import type { Member } from '../oauth/member.ts';
import type { Programme } from '../programme/programme.ts';
import { Windows } from '../store/windows.ts';
import { openFormerKeys, openKeyChest, type PublishedKeys } from '../token/key_chest.ts';
import { longestSignedToken } from '../token/key_rotation.ts';
import { ProvenHeaders } from '../token/proven_headers.ts';
import {
  accessTokenType,
  jwtFormat,
  opaqueFormat,
  refreshTokenType,
  tokenIdMaker,
} from '../token/token_format.ts';
import { tokenVerifier } from '../token/token_verifier.ts';
import { clientLikeSubject } from './failure.ts';
import { FirstBrowsers } from './login/transaction.ts';
import type { Foundation, Service } from './service.ts';

/** Addresses whose stopped logins are counted; more are past what the log takes in any case. */
const mostAddresses = 50_000;
const rememberedFamilies = 20_000;

/**
 * Readies a programme; makes its first signing key where it issues JWTs and has none.
 *
 * @param credentials for the hook of its member directory, where it has one
 * @param hookLimits limits of an answer of that hook; the usual ones if left out
 */
export async function openService(
  programme: Programme,
  foundation: Foundation,
  credentials?: HookCredentials,
  hookLimits?: HookLimits,
): Promise<Service> {
  const { id, access, refresh } = programme;
  const bindsAtPage = programme.login.endpoint.binds === 'first_page';
  const service = {
    ...foundation,
    ...present({ firstBrowsers: bindsAtPage ? new FirstBrowsers() : undefined }),
    programme,
    directory: openDirectory(programme, foundation, credentials, hookLimits),
    newTokenId: tokenIdMaker(access.tokenId, foundation.node),
    stoppedLogins: new Windows(mostAddresses),
    provenHeaders: new ProvenHeaders(),
    families: new BoundedMap<FamilyId, Member>(rememberedFamilies),
  };
  const { store: records, keyring, clock } = foundation;
  if (!programme.signsTokens) {
    const end = after(clock.now(), longestSignedToken(programme));
    const keys = await openFormerKeys(id, records, end);
    const former = keys === undefined ? {} : verification(programme, keys);
    const formats = { accessTokens: opaqueFormat, refreshTokens: opaqueFormat };
    return Object.freeze({ ...service, ...former, ...formats });
  }
  const { algorithm } = access;
  const keys = await openKeyChest({ programme: id, algorithm, records, keyring, clock });
  return Object.freeze({
    ...service,
    ...verification(programme, keys),
    accessTokens: access.format === 'jwt' ? jwtFormat(keys.signer, accessTokenType) : opaqueFormat,
    refreshTokens:
      refresh.format === 'jwt' ? jwtFormat(keys.signer, refreshTokenType) : opaqueFormat,
  });
}

function verification(
  { issuer, audience }: Programme,
  keys: PublishedKeys,
): Required<Pick<Service, 'keys' | 'verifyAccessToken'>> {
  const keyOf = keys.verifier;
  return {
    keys,
    verifyAccessToken: tokenVerifier({ type: accessTokenType, issuer, audience, keyOf }),
  };
}

/** Asks nothing before the first login. */
function openDirectory(
  programme: Programme,
  { store, clock }: Foundation,
  credentials?: HookCredentials,
  limits?: HookLimits,
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
