// Owns what a programme makes of requests that were written for another, by the checks of its compiled
// endpoints that need no store.

import { sampleClient, sampleTime } from '../../../src/contract/samples/answers.ts';
import { sampleTokenRequest } from '../../../src/contract/samples/requests.ts';
import type { Definition } from '../../../src/language/definition.ts';
import { type Client } from '../../../src/oauth/client.ts';
import { Refusal } from '../../../src/oauth/failure.ts';
import { grantTypes, inputsOfGrants } from '../../../src/oauth/grant.ts';
import type { Programme } from '../../../src/programme/programme.ts';
import { endpointsOf } from '../../../src/programme/requests/grant_places.ts';
import { ProvenHeaders } from '../../../src/token/proven_headers.ts';
import { provocations } from './provocations.ts';
import { type Draft, draftOf, wireRequest } from './requests.ts';
import type { Served } from './served.ts';

const secret = 'a-secret-of-some-length';
const apiKey = 'key-of-the-partner-0123456789';

/** Whether some request that is written for `before`, right or wrong, fares otherwise with `after`. */
export function isReadOtherwise(
  definition: Definition,
  before: Programme,
  after: Programme,
): boolean {
  const sample = sampleClient(before, [], new Set());
  const client: Client = { ...sample, roles: ['member', 'partner'] };
  const request: Served['request'] = (grant, values = {}, at?: string) => {
    const all = { api_key: apiKey, ...values };
    return draftOf(sampleTokenRequest(before, grant, { client, secret }, all, at));
  };
  // Provocations need no more of a served dialect.
  const served = { definition, request } as Served;
  const drafts = grantTypes.flatMap((grant): readonly { draft: Draft; raw?: string }[] => [
    ...endpointsOf(definition, grant).map(([name]) => ({
      draft: request(grant, { code: 'x', refresh_token: 'x' }, name),
    })),
    ...provocations(served, grant),
  ]);
  return drafts.some(({ draft, raw }) => {
    const [was, is] = [before, after].map((programme) => fate(programme, client, draft, raw));
    return was !== is;
  });
}

/** The answer to a request that is refused; otherwise the client, the grant and what it brings. */
function fate(programme: Programme, client: Client, draft: Draft, raw?: string): string {
  const endpoint = programme.tokenEndpoints.find(({ path }) => path === draft.path);
  if (endpoint === undefined) return 'no endpoint';
  try {
    if (!endpoint.methods.has(draft.method)) throw new Refusal('method_not_allowed');
    const request = wireRequest(draft, raw);
    const inputs = endpoint.readInputs(request);
    const { id } = endpoint.readCredentials(request, inputs, new ProvenHeaders());
    endpoint.checkHeaders(inputs);
    endpoint.checkClient(inputs, client, (text) => text === apiKey);
    const grant = endpoint.selectGrant(inputs, client);
    endpoint.checkParameters(inputs, grant);
    const brought = [...inputsOfGrants].map((role) => inputs.get(role) ?? null);
    return JSON.stringify([id, grant, ...brought]);
  } catch (error) {
    if (!(error instanceof Refusal)) throw error;
    const reply = programme.renderFailure(error.reason, { ...error.facts, at: sampleTime });
    return JSON.stringify(reply);
  }
}
