// Owns what a contract promises of members' identity: identity tokens, and the userinfo endpoint.

import type { FieldTree } from '../language/value_tree.ts';
import type { Milliseconds } from '../lib/clock.ts';
import { tokenValues } from '../programme/answers/token_layout.ts';
import type { Values } from '../programme/answers/tree_writer.ts';
import type { Programme } from '../programme/programme.ts';
import type { Answers, Told } from './answers.ts';
import { sampleClient, sampleFacts } from './samples/answers.ts';
import { optional } from './tokens.ts';

/** What a programme tells of its members' identity; undefined where it does not. */
export interface IdentityPromise {
  readonly lifetime?: Milliseconds;
  readonly claims?: Answers;
  readonly userinfo?: Answers;
}

export function describeIdentity(programme: Programme): IdentityPromise {
  const { identity, userinfo, values, layouts } = programme;
  const told = (tree: FieldTree, write: (values: Values) => Told): Answers => {
    const mayHold = optional(programme, 'authorization_code', [tree]);
    return {
      form: 'json',
      mayHold,
      render: (absent) => {
        const client = sampleClient(programme, mayHold, absent);
        const facts = sampleFacts(programme, 'authorization_code', absent, mayHold);
        return write(tokenValues(facts, client, values));
      },
    };
  };
  return {
    ...(layouts.identity &&
      identity && {
        lifetime: identity.lifetime,
        claims: told(layouts.identity, (sample) => ({
          headers: {},
          body: JSON.stringify(identity.claims(sample)),
        })),
      }),
    ...(layouts.userinfo && userinfo && { userinfo: told(layouts.userinfo, userinfo.render) }),
  };
}
