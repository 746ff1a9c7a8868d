// Owns the section on refused requests of a partner's page: every answer, its cause and its remedy.

import { reasons } from '../../../oauth/reasons.ts';
import { type Failure, failureAnswer, failuresOf } from '../../failures.ts';
import type { Guide } from '../guide.ts';
import { type Block, inCode, table } from '../markdown.ts';
import { answerBlock, shortAnswer } from './words.ts';

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
