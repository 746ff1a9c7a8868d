// Owns the section of a partner's page on failures that a sandbox forces.

import { listed } from '../../../lib/present.ts';
import { logsIn } from '../../../programme/programme.ts';
import type { SampleRequest } from '../../samples/requests.ts';
import { type Guide, tokenRequests } from '../guide.ts';
import { type Block, codeBlock, inCode, table } from '../markdown.ts';
import { curlLines } from '../snippets/curl.ts';

export function sandboxSection(guide: Guide): Block {
  const { sandbox, base, programme } = guide;
  const [endpoint] = programme.tokenEndpoints;
  const [grant] = endpoint?.grants ?? [];
  const found =
    grant && tokenRequests(guide, grant.type).find(({ name }) => name === endpoint?.name);
  if (sandbox === undefined || found === undefined) return false;
  const { header, parameter } = sandbox.places;
  const where = listed<string>([
    header !== undefined && `in the header ${inCode(header)}`,
    parameter !== undefined && `in the parameter ${inCode(parameter)} of its query`,
  ]).join(' or ');
  const name = 'throttled';
  const request: SampleRequest = {
    method: found.request.method,
    path: found.request.path,
    query: header === undefined && parameter !== undefined ? [[parameter, name]] : [],
    headers: header === undefined ? [] : [[header, name]],
  };
  const namesOf = (failures: ReadonlyMap<string, unknown>): string =>
    [...failures.keys()].map(inCode).join(', ');
  const hasLogin = logsIn(programme);
  const { origin } = new URL(base);
  const addressOf = (path: string): string => inCode(origin + path);
  return [
    '## See each refusal before it happens',
    `Here, in this test environment, a request that names a failure ${where} is answered as if it had failed so. It needs no credentials and uses nothing up; codes and tokens in it stay good.`,
    codeBlock('sh', curlLines(base, request, '-sS -i')),
    table(
      ['Address', 'Failures by name'],
      [
        hasLogin && [addressOf(programme.login.endpoint.path), namesOf(sandbox.loginFailures)],
        ...[...sandbox.failuresAt].map(([path, failures]) => [addressOf(path), namesOf(failures)]),
        ['calls to the API', namesOf(sandbox.verificationFailures)],
      ],
    ),
    hasLogin &&
      'A login request comes back to you where the failure does: it needs your client identifier and a registered address. Its pages can be seen by the names `expired`, `damaged`, `other_browser`, `finished`, `forged`, `too_many_attempts` and `difficulties`.',
  ];
}
