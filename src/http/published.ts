// Owns the documents that anybody may fetch: the key set and the metadata of a programme.

import type { Service } from '../engine/service.ts';
import type { Reply } from '../oauth/reply.ts';
import type { Metadata, Offered } from '../programme/answers/metadata.ts';
import { keySetMaxAge } from '../token/jwks.ts';

/** RFC 7517, as it stands at each request. */
export function keySetAnswer({ keys, programme }: Service): () => Reply {
  if (keys === undefined) throw new Error(`${programme.id} signs no tokens`);
  return () => published('application/jwk-set+json', keys.keySet());
}

/** RFC 8414. */
export function metadataAnswer(metadata: Metadata, offered: Offered): () => Reply {
  const reply = published('application/json', metadata.document(offered));
  return () => reply;
}

/** A key signs only once every verifier that kept the key set this long has fetched it anew. */
function published(type: string, body: string): Reply {
  return Object.freeze({
    status: 200,
    headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${keySetMaxAge}` },
    body,
  });
}
