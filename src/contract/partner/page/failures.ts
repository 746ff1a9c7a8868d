// Owns the sections on refused requests of a partner's page: every answer, its cause and its remedy, and how a
// sandbox forces it.

import { listed } from '../../../lib/present.ts';
import { reasons } from '../../../oauth/reasons.ts';
import { logsIn } from '../../../programme/programme.ts';
import { type Failure, failureAnswer, failuresOf } from '../../failures.ts';
import type { SampleRequest } from '../../samples/requests.ts';
import { curlLines } from '../curl.ts';
import { type Guide, tokenRequests } from '../guide.ts';
import {
  type Block,
  answerBlock,
  codeBlock,
  inCode,
  paragraphs,
  shortAnswer,
  table,
} from '../words.ts';

export function failureSection(guide: Guide): Block {
  const { requestIdHeader: idHeader } = guide.programme;
  const example = failureAnswer(guide.programme, 'client_authentication_failed');
  // The listener adds it to every answer.
  const id = idHeader === undefined ? {} : { [idHeader]: 'REQUEST-ID' };
  return [
    '## When a request is refused',
    'Let your software decide by the status and the error code; texts for people may change.',
    'A wrong client secret, for example, gets this answer:',
    answerBlock({ ...example, headers: { ...example.headers, ...id } }),
    paragraphs(guide.programme, 'errors'),
    '### Token requests',
    failureTable(guide, 'partner'),
    '### Calls to the API',
    'A call is refused with these answers, if the API passes them on as they are:',
    failureTable(guide, 'caller'),
  ];
}

function failureTable({ programme, sandbox }: Guide, who: keyof Failure['metBy']): string {
  const isNamed = sandbox !== undefined;
  const rows = failuresOf(programme).flatMap(({ reason, metBy, tell }) => {
    const names = metBy[who];
    if (names === undefined) return [];
    const { cause, remedy } = reasons[reason];
    const told = cause.replace('{names}', () => names.map(inCode).join(', '));
    return [[shortAnswer(tell(names[0])), told, remedy, isNamed && inCode(reason)]];
  });
  return table(['Status and body', 'Cause', 'What to do', isNamed && 'In the sandbox'], rows);
}

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
