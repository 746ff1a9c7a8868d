// Owns the parameters of a redirect back to the partner, besides code, error and state.

import type { Client } from '../../oauth/client.ts';
import type { LoginFailureReason } from '../../oauth/failure.ts';
import type { FieldTree } from '../language/value_tree.ts';
import { clientProperties, redirectVocabulary } from '../language/vocabularies.ts';
import { compileTexts, type Values } from './tree_writer.ts';

export type RedirectWriter = (
  outcome: 'code' | LoginFailureReason,
  client: Client,
  facts?: Values,
) => Readonly<Record<string, string>>;

const nothingMore = Object.freeze({});

/** `programme` holds the values that are the same in all of its answers. */
export function compileRedirectAnswer(more: FieldTree, programme: Values): RedirectWriter {
  const write = compileTexts(more, {
    vocabulary: redirectVocabulary,
    occasion: 'outcome',
    split: (scope) => [scope],
  });
  if (write === undefined) return () => nothingMore;
  return (outcome, client, facts = {}) =>
    write({
      ...clientProperties(client),
      ...facts,
      outcome,
      client_id: client.id,
      business_context: client.businessContext,
      partner_id: client.partnerId,
      ...programme,
    });
}
