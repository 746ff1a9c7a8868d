// Owns what a contract promises of login requests: what they may say, and the answers that end them.

import { type LoginFailureReason, loginFailureReasons } from '../../oauth/failure.ts';
import { usualCodeLength } from '../checks/given_out.ts';
import type { PageFailure } from '../language/authorize_schema.ts';
import type { Definition } from '../language/definition.ts';
import type { ValueShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import { clientPropertyPrefix } from '../language/vocabularies.ts';
import type { Programme } from '../programme.ts';
import type { Answers } from './answers.ts';
import { describeReading, type ReadingPromise } from './reading.ts';
import { sampleAddress, sampleClient } from './samples.ts';

export interface LoginPromise {
  readonly path: string;
  readonly reading: ReadingPromise;
  readonly redirectUri: Definition['authorize']['redirect_uri'];
  readonly pkce: Definition['authorize']['pkce'];
  readonly redirectStatus: 302 | 303;
  readonly binds: Definition['authorize']['binds'];
  readonly success: Answers;
  readonly code: ValueShape;
  readonly failures: readonly LoginFailurePromise[];
}

export interface LoginFailurePromise {
  readonly reason: LoginFailureReason;
  /** The redirect back to the partner, or the page that the member sees. */
  readonly outcome: Answers | PageFailure['page'];
  readonly isMet: boolean;
  /** Names of the parameters and headers that can be at fault. */
  readonly parameters: readonly string[];
}

export function isPage(outcome: LoginFailurePromise['outcome']): outcome is PageFailure['page'] {
  return 'title' in outcome;
}

export function describeLogin(definition: Definition, programme: Programme): LoginPromise {
  const { authorize, code } = definition;
  const { path, redirectStatus, binds } = programme.login.endpoint;
  const { min = usualCodeLength, max = usualCodeLength } = code.length ?? {};
  const length = Math.max(min, Math.min(max, usualCodeLength));
  const { prefix = '', characters = 'alphanumeric' } = code;
  const reading = describeReading({
    definition,
    endpoint: authorize.endpoint,
    requests: ['login'],
  });
  const met = metFailures(definition, reading);
  return {
    path,
    reading,
    redirectUri: authorize.redirect_uri,
    pkce: authorize.pkce,
    redirectStatus,
    binds,
    success: redirect(definition, programme, 'code'),
    code: { prefix, characters, length: { min: length, max: length } },
    failures: loginFailureReasons.map((reason) => ({
      reason,
      outcome: outcomeOf(definition, programme, reason),
      isMet: met.has(reason),
      parameters: [...new Set(met.get(reason))],
    })),
  };
}

function outcomeOf(
  definition: Definition,
  programme: Programme,
  reason: LoginFailureReason,
): LoginFailurePromise['outcome'] {
  const { login } = programme;
  const failure = login.failure(reason);
  if (!('page' in failure)) return redirect(definition, programme, reason);
  const { title, text } = login.languages.texts(undefined).pages[reason];
  return { status: failure.page.status, title, text };
}

/** The redirect to the partner that ends a login. */
function redirect(
  definition: Definition,
  programme: Programme,
  outcome: 'code' | LoginFailureReason,
): Answers {
  const { login } = programme;
  const failure = outcome === 'code' ? undefined : login.failure(outcome);
  const mayHold = [...writtenValues(definition.authorize.answer.more, outcome)].filter(
    (name) => lacked.has(name) || name.startsWith(clientPropertyPrefix),
  );
  return {
    form: 'text',
    mayHold,
    render: (absent) => {
      const to = sampleAddress(sampleClient(programme, mayHold, absent));
      const parameter = absent.has('parameter') ? undefined : 'sample-parameter';
      const location =
        failure === undefined || outcome === 'code' || 'page' in failure
          ? login.redirect.code(to, 'CODE')
          : login.redirect.failure(to, outcome, failure, parameter);
      return { status: 302, headers: { Location: location }, body: '' };
    },
  };
}

const lacked: ReadonlySet<string> = new Set(['parameter', 'business_context', 'partner_id']);

/** The reasons that some request meets, and the names of what can be at fault. */
function metFailures(
  { authorize, scope }: Definition,
  { inputs, unknown }: ReadingPromise,
): ReadonlyMap<LoginFailureReason, readonly string[]> {
  const isOwn = (role: string): boolean => !['client_id', 'redirect_uri'].includes(role);
  const others = inputs.filter(({ role }) => isOwn(role) && role !== 'response_type');
  const named = (isNamed: (input: (typeof inputs)[number]) => boolean): readonly string[] =>
    others.filter(isNamed).map(({ name }) => name);
  const responseType = inputs.find(({ role }) => role === 'response_type');
  const responseName = responseType === undefined ? [] : [responseType.name];
  const isPkce = (role: string): boolean => role === 'code_challenge';
  const rows: readonly (readonly [LoginFailureReason, readonly string[] | boolean])[] = [
    ...(['ambiguous_request', 'missing_client_id', 'unknown_client'] as const).map(
      (reason) => [reason, true] as const,
    ),
    ['missing_redirect_uri', true],
    ['unregistered_redirect_uri', true],
    ['programme_mismatch', named(({ must_equal: equal }) => equal === 'programme.identifier')],
    ['repeated_parameter', true],
    ['unknown_parameter', unknown === 'refuse'],
    [
      'missing_parameter',
      named(
        ({ neededBy, role }) =>
          neededBy.length > 0 || (isPkce(role) && authorize.pkce === 'required'),
      ),
    ],
    ['invalid_parameter', named((input) => input.faults.includes('malformed') && !input.inHeader)],
    ['invalid_header', named(({ inHeader }) => inHeader)],
    ['missing_response_type', (responseType?.neededBy.length ?? 0) > 0 && responseName],
    ['unsupported_response_type', responseType?.allowed !== undefined && responseName],
    ['context_mismatch', named(({ must_equal: equal }) => equal?.startsWith('client.') === true)],
    ['invalid_scope', named(({ role }) => role === 'scope' && scope.values.length > 0)],
    ['access_denied', true],
    ['server_error', true],
    ['temporarily_unavailable', true],
  ];
  return new Map(
    rows.flatMap(([reason, met]) => {
      const names = Array.isArray(met) ? (met as readonly string[]) : [];
      const isMet = Array.isArray(met) ? names.length > 0 : met === true;
      return isMet ? [[reason, names] as const] : [];
    }),
  );
}
