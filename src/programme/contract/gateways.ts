// Owns what a contract tells of the endpoints for gateways and standard clients: verification,
// introspection, revocation, the key set and the metadata.

import { programmePaths } from '../../oauth/own_paths.ts';
import type { Definition } from '../language/definition.ts';
import type { Programme } from '../programme.ts';
import { heldHeaders } from '../requests/verify_headers.ts';
import { heldHeaderItem } from './inputs.ts';
import { answer, type Endpoint, type Item, offer, text } from './item.ts';
import { sampleClient } from './samples.ts';

export function verification(definition: Definition, programme: Programme): Endpoint {
  const { verify } = definition;
  const { verification: rules, ownPath } = programme;
  const caller = sampleClient(programme, [], new Set());
  const told = rules.toldHeaders.map(
    ({ name, valueFor }) => [name, valueFor(caller) ?? ''] as const,
  );
  const required = verify.headers === 'required';
  return {
    kind: 'verification',
    path: `${ownPath}${programmePaths.verify}*`,
    requests: ['question'],
    items: [
      offer('header of the API key', rules.apiKeyHeader),
      ...[...heldHeaders(definition)].map(([role, input]) =>
        heldHeaderItem({ definition, programme }, role, { ...input, required }),
      ),
      answer('a yes, beside X-Auth-*', 'text', {
        status: 200,
        headers: Object.fromEntries(told),
        body: '',
      }),
    ],
  };
}

/** The optional endpoints that the file turns on. */
export function furtherEndpoints(
  definition: Definition,
  programme: Programme,
): readonly Endpoint[] {
  const { introspection, revocation, metadata, signsTokens, ownPath, access } = programme;
  const keySet: Endpoint = {
    kind: 'key set',
    path: ownPath + programmePaths.keySet,
    items: [text('keys', access.algorithm)],
  };
  const revoking = revocation && { kind: 'revocation', path: revocation.path, items: [] };
  const asking = introspection && {
    kind: 'introspection',
    path: introspection.path,
    items: introspectionItems(definition, programme),
  };
  const describing = metadata && {
    kind: 'metadata',
    path: metadata.paths[0] ?? '',
    items: [
      ...metadata.paths.map((path) => offer(`path ${path}`, 'answered')),
      answer('document', 'json', {
        status: 200,
        headers: {},
        body: metadata.document({ introspection: true, keySet: signsTokens }),
      }),
    ],
  };
  const all = [signsTokens ? keySet : undefined, asking, revoking, describing];
  return all.filter((endpoint) => endpoint !== undefined);
}

function introspectionItems({ tokens }: Definition, programme: Programme): readonly Item[] {
  return [
    offer('iss', programme.issuer),
    offer('aud', programme.audience),
    text('jti', tokens.access.token_id === 'number' ? 'a number' : 'a UUID'),
  ];
}
