// Owns the section on refused requests of a partner's page: every answer, its cause and its remedy, and
// how to try them.

import type { FailurePromise } from '../../contract/failures.ts';
import { failureAdvice } from '../failure_texts.ts';
import type { Guide } from '../guide.ts';
import { codeBlock, inCode, table } from '../markdown.ts';
import { curlLines } from '../snippets/curl.ts';
import { answerBlock, shortAnswer } from './words.ts';

export function failureSection(guide: Guide): readonly string[] {
  const { failures } = guide.contract;
  const example = failures.find(({ reason }) => reason === 'client_authentication_failed');
  return [
    '## When a request is refused',
    'Let your software decide by the status and the error code; texts for people may change.',
    ...(example === undefined
      ? []
      : [
          'A wrong client secret, for example, gets this answer:',
          answerBlock(example.tell(undefined)),
        ]),
    '### Token requests',
    failureTable(guide, 'partner'),
    '### Calls to the API',
    'A call is refused with these answers, if the API passes them on as they are:',
    failureTable(guide, 'caller'),
    ...sandbox(guide),
  ];
}

function failureTable(
  { contract: { failures, definition } }: Guide,
  who: keyof FailurePromise['metBy'],
): string {
  const isNamed = definition.sandbox !== undefined;
  const rows = failures.flatMap(({ reason, metBy, tell }) => {
    const names = metBy[who];
    if (names === undefined) return [];
    const { cause, remedy } = failureAdvice[reason];
    const told = cause.replace('{names}', () => names.map(inCode).join(', '));
    return [[shortAnswer(tell(names[0])), told, remedy, ...(isNamed ? [inCode(reason)] : [])]];
  });
  return table(
    ['Status and body', 'Cause', 'What to do', ...(isNamed ? ['In the sandbox'] : [])],
    rows,
  );
}

/** How a request asks for a failure, where the programme has a sandbox. */
function sandbox({ contract: { definition, tokenEndpoints }, base }: Guide): readonly string[] {
  const { header, parameter } = definition.sandbox ?? {};
  const [endpoint] = tokenEndpoints;
  const [method = 'POST'] = endpoint?.reading.methods ?? [];
  if ((header ?? parameter) === undefined) return [];
  const asked = [
    ...(header === undefined ? [] : [`the header ${inCode(header)}`]),
    ...(parameter === undefined ? [] : [`the query parameter ${inCode(parameter)}`]),
  ];
  const request = {
    method,
    path: definition.base_path + (endpoint?.reading.path ?? ''),
    query: header === undefined ? [[parameter ?? '', 'throttled'] as const] : [],
    headers: header === undefined ? [] : [[header, 'throttled'] as const],
  };
  return [
    '### See every failure before it happens',
    `In staging, a request that names a failure in ${asked.join(' or ')} is answered exactly as if it had failed so. It needs no credentials and uses nothing up. The names are in the last column of the tables; \`list\` tells those of an address. A login request takes the names of its own failures there.`,
    codeBlock('sh', curlLines(base, request)),
  ];
}
