// Owns the verbs below `audit`.

import { identifierKinds } from '../../audit/identifiers.ts';
import { lazy, type Verb, verbOf } from './grammar.ts';
import { findOptions, verifyOptions } from './rows.ts';

export const auditVerbs: readonly Verb[] = [
  verbOf({
    words: 'audit find',
    summary: 'print events of the audit stream, rotated files included; with --json its lines',
    reads: 'configuration',
    options: findOptions,
    example: 'jetway audit find --client partnerapi-12345 --since 7d',
    exits: { 1: 'failed; there is no such event' },
    run: lazy(() => import('../audit/verbs.ts'), 'findAudit'),
  }),
  verbOf({
    words: 'audit verify',
    summary: 'tell whether lines of the audit stream were changed, removed, inserted or cut off',
    operands: [['[files...]', 'files of the stream; without any, all of it up to its newest line']],
    reads: 'configuration',
    options: verifyOptions,
    example: 'jetway audit verify',
    exits: { 1: 'failed; the stream is broken, and the first places are named' },
    run: lazy(() => import('../audit/verbs.ts'), 'verifyAudit'),
  }),
  verbOf({
    words: 'audit hash',
    summary: 'print the digest that stands in the audit stream for an identifier of a member',
    operands: [
      ['<kind>', `one of ${identifierKinds.join(', ')}`],
      ['<value>', 'the identifier'],
    ],
    reads: 'configuration',
    example: 'jetway audit hash username ann',
    run: lazy(() => import('../audit/verbs.ts'), 'hashIdentifier'),
  }),
];
