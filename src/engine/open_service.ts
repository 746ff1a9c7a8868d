// Owns bringing a programme into service: its directory, and its signing key where it needs one.

import { createStoreDirectory } from '../members/store_directory.ts';
import type { Programme } from '../programme/programme.ts';
import { renderKeySet } from '../token/jwks.ts';
import { newSigningKey, openSigningKey } from '../token/signing_keys.ts';
import type { Foundation, Service } from './service.ts';

/** Readies a programme; makes its first signing key where it issues JWTs and has none. */
export async function openService(programme: Programme, foundation: Foundation): Promise<Service> {
  const directory = createStoreDirectory(programme.id, foundation.store);
  const service = { ...foundation, programme, directory };
  if (programme.access.format !== 'jwt') return Object.freeze(service);
  const { store, keyring, clock } = foundation;
  const { algorithm } = programme.access;
  const records = await store.listSigningKeys(programme.id);
  const record =
    records.findLast((candidate) => candidate.algorithm === algorithm) ??
    (await store.ensureSigningKey(
      programme.id,
      algorithm,
      await newSigningKey(programme.id, algorithm, keyring, clock.now()),
    ));
  return Object.freeze({
    ...service,
    signingKey: await openSigningKey(record, keyring),
    // Keys of an algorithm given up lately stay published: their tokens live on for a while.
    keySet: renderKeySet(await store.listSigningKeys(programme.id)),
  });
}
