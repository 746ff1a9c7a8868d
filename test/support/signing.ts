// Owns signing secrets of clients in tests: as the store keeps them, and as clients use them.

import type { SampleClient } from '../../src/contract/samples/proof.ts';
import { type Instant, instant } from '../../src/lib/clock.ts';
import type { Client, ClientId, ProgrammeId, SigningSecret } from '../../src/oauth/client.ts';
import { signRequest } from '../../src/programme/requests/presented_credentials.ts';
import type { Keyring } from '../../src/token/keyring.ts';
import { sealSigningSecret } from '../../src/token/signing_secrets.ts';

/** The texts as they are kept, the oldest first; the last was made now. */
export function sealedSecrets(
  keyring: Keyring,
  { programme, id }: { readonly programme: string; readonly id: string },
  texts: readonly string[],
  now: Instant,
): readonly SigningSecret[] {
  const owner: Pick<Client, 'programme' | 'id'> = {
    programme: programme as ProgrammeId,
    id: id as ClientId,
  };
  return texts.map((text, index) =>
    sealSigningSecret(keyring, owner, text, instant(now - texts.length + 1 + index)),
  );
}

/** Signs as a client with this secret does. */
export function signingBy(secret: string): NonNullable<SampleClient['sign']> {
  return (recipe, valueOf) => signRequest(recipe, valueOf, secret);
}
