// Owns the rows of the endpoints for gateways and standard clients: verification, introspection,
// revocation, the key set and the metadata.

import { programmePaths } from '../../oauth/own_paths.ts';
import { inputsOf, type Programme } from '../../programme/programme.ts';
import { comparedProperties } from '../../programme/requests/client_values.ts';
import { userinfoAnswers } from '../answers.ts';
import { sampleClient, sampleMember } from '../samples/answers.ts';
import { inputRow } from './inputs.ts';
import { answer, answers, type Endpoint, type Row, offer, text } from './rows.ts';

export function verification(programme: Programme): Endpoint {
  const { verification: rules, ownPath } = programme;
  const names = comparedProperties(inputsOf(programme)).map(({ name }) => `client.${name}`);
  const values = [...names, ...rules.tells];
  const caller = sampleClient(programme, values, new Set());
  const member = sampleMember(values, new Set());
  const told = rules.toldHeaders.map(
    ({ name, valueFor }) => [name, valueFor(caller, undefined, member) ?? ''] as const,
  );
  return {
    kind: 'verification',
    path: `${ownPath}${programmePaths.verify}*`,
    requests: ['call'],
    rows: [
      offer('header of the API key', rules.apiKeyHeader),
      ...rules.comparedHeaders.map((input) =>
        inputRow(programme, input, { kinds: ['call'], unknown: 'ignore' }),
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
export function furtherEndpoints(programme: Programme): readonly Endpoint[] {
  const { introspection, revocation, userinfo, metadata, signsTokens, ownPath, access } = programme;
  const keySet: Endpoint = {
    kind: 'key set',
    path: ownPath + programmePaths.keySet,
    rows: [text('keys', access.algorithm)],
  };
  const revoking = revocation && { kind: 'revocation', path: revocation.path, rows: [] };
  const asking = introspection && {
    kind: 'introspection',
    path: introspection.path,
    rows: introspectionRows(programme),
  };
  const told = userinfoAnswers(programme);
  const telling = userinfo &&
    told && { kind: 'userinfo', path: userinfo.path, rows: [answers('answer', told)] };
  const describing = metadata && {
    kind: 'metadata',
    path: metadata.paths[0] ?? '',
    rows: [
      ...metadata.paths.map((path) => offer(`path ${path}`, 'answered')),
      answer('document', 'json', {
        status: 200,
        headers: {},
        body: metadata.document({ introspection: true, keySet: signsTokens }),
      }),
    ],
  };
  const all = [signsTokens ? keySet : undefined, asking, revoking, telling, describing];
  return all.filter((endpoint) => endpoint !== undefined);
}

function introspectionRows({ issuer, audience, access }: Programme): readonly Row[] {
  return [
    offer('iss', issuer),
    offer('aud', audience),
    text('jti', access.tokenId === 'number' ? 'a number' : 'a UUID'),
  ];
}
