// Owns bringing a programme into service: its directory, its token formats and their keys.

import { after } from '../lib/clock.ts';
import type { HookCredentials, HookLimits } from '../members/hook_connection.ts';
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
} from '../token/token_format.ts';
import { tokenIdMaker } from '../token/token_id.ts';
import { tokenVerifier } from '../token/token_verifier.ts';
import { newFamilyMembers } from './family_member.ts';
import { FirstBrowsers } from './login/first_browsers.ts';
import { openDirectory } from './open_directory.ts';
import type { Foundation, Service } from './service.ts';

/** Addresses whose stopped logins are counted; more are past what the log takes in any case. */
const mostAddresses = 50_000;

/**
 * Readies a programme; makes its first signing key where it issues JWTs and has none.
 *
 * @param credentials what its member directory wants to see, where it is behind a hook
 * @param hookLimits what an answer of that hook may take; the usual, where it is left out
 */
export async function openService(
  programme: Programme,
  foundation: Foundation,
  credentials?: HookCredentials,
  hookLimits?: HookLimits,
): Promise<Service> {
  const { id, access, refresh } = programme;
  const service = {
    ...foundation,
    programme,
    directory: openDirectory(programme, foundation, credentials, hookLimits),
    newTokenId: tokenIdMaker(access.tokenId, foundation.node),
    ...(programme.login.endpoint.binds === 'first_page'
      ? { firstBrowsers: new FirstBrowsers() }
      : {}),
    stoppedLogins: new Windows(mostAddresses),
    provenHeaders: new ProvenHeaders(),
    families: newFamilyMembers(),
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
