// Owns the verbs below `audit`.

import { eventNames } from '../../audit/event.ts';
import { identifierKinds } from '../../audit/identifiers.ts';
import { lazy, option, type Verb } from './grammar.ts';

export const auditVerbs: readonly Verb[] = [
  {
    words: 'audit find',
    summary: 'print events of the audit stream, rotated files included; with --json its lines',
    reads: 'configuration',
    options: [
      option('--event <name>', 'only events of this name', { choices: eventNames }),
      option('--programme <name>', 'only those of this programme'),
      option('--client <client-id>', 'only those about this client'),
      option('--member <name>', 'only those about the member of this subject or username'),
      option('--address <address>', 'only those of callers at this address'),
      option('--request-id <id>', 'only those of this request'),
      option('--command <words>', "only those of a command, such as 'client disable'"),
      option('--since <time>', 'only those since a date or time, or since so long ago: 2h, 7d'),
      option('--until <time>', 'only those before a date or time, or before so long ago'),
    ],
    example: 'jetway audit find --client partnerapi-12345 --since 7d',
    exits: { 1: 'failed; there is no such event' },
    run: lazy(() => import('../audit/find.ts'), 'findAudit'),
  },
  {
    words: 'audit verify',
    summary: 'tell whether lines of the audit stream were changed, removed, inserted or cut off',
    operands: [['[files...]', 'files of the stream; without any, all of it up to its newest line']],
    reads: 'configuration',
    options: [
      option(
        '--expect <line>',
        'a line that must be there: what an earlier audit verify named as the newest',
      ),
    ],
    example: 'jetway audit verify',
    exits: { 1: 'failed; the stream is broken, and the first places are named' },
    run: lazy(() => import('../audit/verify.ts'), 'verifyAudit'),
  },
  {
    words: 'audit hash',
    summary: 'print the digest that stands in the audit stream for an identifier of a member',
    operands: [
      ['<kind>', `one of ${identifierKinds.join(', ')}`],
      ['<value>', 'the identifier'],
    ],
    reads: 'configuration',
    example: 'jetway audit hash username ann',
    run: lazy(() => import('../audit/verify.ts'), 'hashIdentifier'),
  },
];
