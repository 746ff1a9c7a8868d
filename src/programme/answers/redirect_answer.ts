// Owns the way back to the partner: a redirect with all parameters of an answer, or a form of them.

import type {
  AuthorizeDefinition,
  RedirectFailure,
  ResponseMode,
} from '../../language/authorize_schema.ts';
import {
  clientProperties,
  memberProperties,
  redirectVocabulary,
} from '../../language/vocabularies.ts';
import type { Client } from '../../oauth/client.ts';
import type { LoginFailureReason } from '../../oauth/login_reasons.ts';
import type { Member } from '../../oauth/member.ts';
import { signatureOf, signedPairs } from '../../oauth/proofs/signature.ts';
import { withParameters } from '../../oauth/redirect_uri.ts';
import { compileTexts, type Values } from './tree_writer.ts';

/** Where an answer to the partner goes, once client and redirect URI are checked. */
export interface ReturnAddress {
  readonly client: Client;
  readonly redirectUri: string;
  readonly state: string | undefined;
  /** That of the login request; the dialect's if absent. */
  readonly mode?: ResponseMode | undefined;
  /** The client's signing secret; absent where it has none, or the dialect signs no redirects. */
  readonly signingSecret?: string | undefined;
}

/** What takes the browser back: a redirect, or a form that it posts. */
export type WayBack =
  | { readonly location: string }
  | {
      readonly action: string;
      readonly fields: readonly (readonly [name: string, value: string])[];
    };

/** Writes each answer. */
export interface RedirectWriter {
  /** Every name by which some answer, of success or failure, comes back. */
  readonly names: ReadonlySet<string>;
  /** Whether redirects with a code are signed. */
  readonly isSigned: boolean;
  readonly code: (to: ReturnAddress, code: string, member: Member) => WayBack;
  /** `parameter` is the wire name of the parameter or header at fault. */
  readonly failure: (
    to: ReturnAddress,
    reason: LoginFailureReason,
    failure: RedirectFailure,
    parameter: string | undefined,
  ) => WayBack;
}

/** `programme` holds the values that are the same in all of its answers. */
export function compileRedirectAnswer(
  { mode: usual, code, error, state, issuer, more, signature }: AuthorizeDefinition['answer'],
  programme: { readonly programme_identifier: string; readonly issuer: string },
): RedirectWriter {
  const writeMore = compileTexts(more, {
    vocabulary: redirectVocabulary,
    occasion: 'outcome',
    split: (scope) => [scope],
  });
  const parametersOf = (to: ReturnAddress, name: string, value: string, facts: Values) => ({
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
  const names = [code, error, state, issuer, signature?.name, ...more.keys()];
  return {
    names: new Set(names.filter((name) => name !== undefined)),
    isSigned: signature !== undefined,
    code: (to, text, { properties }) => {
      const facts = { outcome: 'code', ...memberProperties(properties) };
      const parameters = parametersOf(to, code, text, facts);
      return wayBack(to.mode ?? usual, to.redirectUri, {
        ...parameters,
        ...signed(signature, parameters, to.signingSecret),
      });
    },
    failure: (to, reason, { redirect, error_description }, parameter) => {
      const facts = { error_description, parameter, outcome: reason };
      const parameters = parametersOf(to, error, redirect, facts);
      return wayBack(to.mode ?? usual, to.redirectUri, parameters);
    },
  };
}

/** The signature of a redirect as a parameter of its own. */
function signed(
  signature: AuthorizeDefinition['answer']['signature'],
  parameters: Readonly<Record<string, string | undefined>>,
  secret: string | undefined,
): Readonly<Record<string, string>> {
  if (signature === undefined || secret === undefined) return {};
  const { name, hmac, of, encoding } = signature;
  const method = { kind: 'hmac', hash: hmac, encoding } as const;
  return { [name]: signatureOf(method, signedPairs(of, parameters), secret) };
}

/** A form can be posted to http and https alone: other schemes open apps, by their address. */
function wayBack(
  mode: ResponseMode,
  redirectUri: string,
  parameters: Readonly<Record<string, string | undefined>>,
): WayBack {
  if (mode !== 'form_post' || !/^https?:/i.test(redirectUri)) {
    const sign = mode === 'fragment' ? '#' : '?';
    return { location: withParameters(redirectUri, parameters, sign) };
  }
  const fields = Object.entries(parameters).flatMap(([name, value]) =>
    value === undefined ? [] : [[name, value] as const],
  );
  return { action: redirectUri, fields };
}
