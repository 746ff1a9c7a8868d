// Owns the section on refused requests of a partner's page: every answer, its cause and its remedy.

import type { FailurePromise } from '../../contract/failures.ts';
import { failureAdvice } from '../failure_texts.ts';
import type { Guide } from '../guide.ts';
import { inCode, table } from '../markdown.ts';
import { answerBlock, shortAnswer } from './words.ts';

export function failureSection({ contract: { failures } }: Guide): readonly string[] {
  const metBy = (who: FailurePromise['metBy'][number]): readonly FailurePromise[] =>
    failures.filter((failure) => failure.metBy.includes(who));
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
    failureTable(metBy('partner')),
    '### Calls to the API',
    'A call is refused with these answers, if the API passes them on as they are:',
    failureTable(metBy('caller')),
  ];
}

function failureTable(failures: readonly FailurePromise[]): string {
  return table(['Status and body', 'Cause', 'What to do'], failures.map(row));
}

function row({ reason, parameters, tell }: FailurePromise): readonly string[] {
  const { cause, remedy } = failureAdvice[reason];
  return [
    shortAnswer(tell(parameters[0])),
    cause.replace('{names}', () => parameters.map(inCode).join(', ')),
    remedy,
  ];
}
