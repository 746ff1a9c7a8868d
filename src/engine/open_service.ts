// Owns bringing a programme into service: its directory, its token formats and their signing key.

import { createStoreDirectory } from '../members/store_directory.ts';
import type { Programme } from '../programme/programme.ts';
import { renderKeySet } from '../token/jwks.ts';
import { newSigningKey, openSigningKey, type SigningKey } from '../token/signing_keys.ts';
import {
  accessTokenType,
  jwtFormat,
  opaqueFormat,
  refreshTokenType,
} from '../token/token_format.ts';
import { tokenIdMaker } from '../token/token_id.ts';
import type { Foundation, Service } from './service.ts';

/** Readies a programme; makes its first signing key where it issues JWTs and has none. */
export async function openService(programme: Programme, foundation: Foundation): Promise<Service> {
  const { access, refresh } = programme;
  const service = {
    ...foundation,
    programme,
    directory: createStoreDirectory(programme.id, foundation.store),
    newTokenId: tokenIdMaker(access.tokenId),
  };
  if (!programme.signsTokens) {
    return Object.freeze({ ...service, accessTokens: opaqueFormat, refreshTokens: opaqueFormat });
  }
  const key = await findSigningKey(programme, foundation);
  return Object.freeze({
    ...service,
    accessTokens: access.format === 'jwt' ? jwtFormat(key, accessTokenType) : opaqueFormat,
    refreshTokens: refresh.format === 'jwt' ? jwtFormat(key, refreshTokenType) : opaqueFormat,
    // Keys of an algorithm given up lately stay published: their tokens live on for a while.
    keySet: renderKeySet(await foundation.store.listSigningKeys(programme.id)),
  });
}

async function findSigningKey(
  programme: Programme,
  { store, keyring, clock }: Foundation,
): Promise<SigningKey> {
  const { algorithm } = programme.access;
  const records = await store.listSigningKeys(programme.id);
  const record =
    records.findLast((candidate) => candidate.algorithm === algorithm) ??
    (await store.ensureSigningKey(
      programme.id,
      algorithm,
      await newSigningKey(programme.id, algorithm, keyring, clock.now()),
    ));
  return openSigningKey(record, keyring);
}
