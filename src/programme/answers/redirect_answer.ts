// Owns the redirect back to the partner: the address with all parameters of an answer.

import type { Client } from '../../oauth/client.ts';
import type { LoginFailureReason } from '../../oauth/failure.ts';
import type { Member } from '../../oauth/member.ts';
import { withParameters } from '../../oauth/redirect_uri.ts';
import type { AuthorizeDefinition, RedirectFailure } from '../language/authorize_schema.ts';
import {
  clientProperties,
  memberProperties,
  redirectVocabulary,
} from '../language/vocabularies.ts';
import { compileTexts, type Values } from './tree_writer.ts';

/** Where an answer to the partner goes, once client and redirect URI are checked. */
export interface ReturnAddress {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
}

/** Writes the `Location` of each answer. */
export interface RedirectWriter {
  readonly code: (to: ReturnAddress, code: string, member: Member) => string;
  /** `parameter` is the wire name of the parameter or header at fault. */
  readonly failure: (
    to: ReturnAddress,
    reason: LoginFailureReason,
    failure: RedirectFailure,
    parameter: string | undefined,
  ) => string;
}

/** `programme` holds the values that are the same in all of its answers. */
export function compileRedirectAnswer(
  { code, error, state, issuer, more }: AuthorizeDefinition['answer'],
  programme: { readonly programme_identifier: string; readonly issuer: string },
): RedirectWriter {
  const writeMore = compileTexts(more, {
    vocabulary: redirectVocabulary,
    occasion: 'outcome',
    split: (scope) => [scope],
  });
  const write = (to: ReturnAddress, name: string, value: string, facts: Values): string =>
    withParameters(to.redirectUri, {
      [name]: value,
      [state]: to.state,
      ...(issuer === undefined ? {} : { [issuer]: programme.issuer }),
      ...writeMore?.({
        ...clientProperties(to.client),
        ...facts,
        client_id: to.client.id,
        business_context: to.client.businessContext,
        partner_id: to.client.partnerId,
        ...programme,
      }),
    });
  return {
    code: (to, text, { properties }) =>
      write(to, code, text, { outcome: 'code', ...memberProperties(properties) }),
    failure: (to, reason, { redirect, error_description }, parameter) =>
      write(to, error, redirect, { error_description, parameter, outcome: reason }),
  };
}
