// Owns the answers that end a login: the redirect with a code, and those to each failure.

import type { PageFailure } from '../language/authorize_schema.ts';
import { drawing, usualCodeLength, type ValueShape } from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import { clientPropertyPrefix, memberPropertyPrefix } from '../language/vocabularies.ts';
import { type LoginFailureReason, loginFailureReasons } from '../oauth/login_reasons.ts';
import type { LoginEndpoint } from '../programme/login/endpoint.ts';
import { requestObjectNames } from '../programme/login/request_checks.ts';
import type { Programme } from '../programme/programme.ts';
import { foundAtLogin } from '../programme/sandbox.ts';
import type { Answers } from './answers.ts';
import { namesByReason } from './failures.ts';
import { sampleAddress, sampleClient, sampleMember } from './samples/answers.ts';

export interface LoginFailure {
  readonly reason: LoginFailureReason;
  /** The redirect back to the partner, or the page that the member sees. */
  readonly outcome: Answers | PageFailure['page'];
  /** Names of the parameters and headers that can be at fault; undefined where no request fails so. */
  readonly metBy: readonly string[] | undefined;
}

export function isPage(outcome: LoginFailure['outcome']): outcome is PageFailure['page'] {
  return 'title' in outcome;
}

/** The form of codes. */
export function codeShape({ code: { shape } }: Programme): ValueShape {
  const { prefix, characters, length } = drawing(shape, usualCodeLength);
  return { prefix, characters, length: { min: length, max: length } };
}

/** The redirect with a code. */
export function loginSuccess(programme: Programme): Answers {
  return redirect(programme, 'code');
}

export function loginFailuresOf(programme: Programme): readonly LoginFailure[] {
  const { endpoint } = programme.login;
  const met = namesByReason(foundAtLogin(endpoint));
  return reasonsOf(endpoint).map((reason) => ({
    reason,
    outcome: outcomeOf(programme, reason),
    metBy: met.get(reason),
  }));
}

/** Only what reads `prompt` can require a login, or `resource` refuse one; not all refuse request objects. */
function reasonsOf({ reading, requestObjects }: LoginEndpoint): readonly LoginFailureReason[] {
  const unmet = new Set<string>(requestObjectNames.map((name) => `${name}_not_supported`));
  for (const name of requestObjects) unmet.delete(`${name}_not_supported`);
  const read = new Set(reading.inputs.map(({ role }) => role));
  if (!read.has('prompt')) unmet.add('login_required');
  if (!read.has('resource')) unmet.add('invalid_target');
  return loginFailureReasons.filter((reason) => !unmet.has(reason));
}

function outcomeOf(programme: Programme, reason: LoginFailureReason): LoginFailure['outcome'] {
  const { login } = programme;
  const failure = login.failure(reason);
  if (!('page' in failure)) return redirect(programme, reason);
  const { title, text } = login.languages.texts(undefined).pages[reason];
  return { status: failure.page.status, title, text };
}

/** The redirect to the partner that ends a login, or the form that the browser posts there. */
function redirect(programme: Programme, outcome: 'code' | LoginFailureReason): Answers {
  const { login } = programme;
  const failure = outcome === 'code' ? undefined : login.failure(outcome);
  const mayHold = [...writtenValues(programme.layouts.redirect.more, outcome)].filter(
    (name) => lacked.has(name) || prefixes.some((prefix) => name.startsWith(prefix)),
  );
  return {
    form: 'text',
    mayHold,
    render: (absent, valuing) => {
      const to = sampleAddress(sampleClient(programme, mayHold, absent, valuing));
      const parameter = absent.has('parameter') ? undefined : 'sample-parameter';
      const way =
        failure === undefined || outcome === 'code' || 'page' in failure
          ? login.redirect.code(to, 'CODE', sampleMember(mayHold, absent))
          : login.redirect.failure(to, outcome, failure, parameter);
      if ('location' in way) return { status: 302, headers: { Location: way.location }, body: '' };
      const body = way.fields.map(([name, value]) => `${name}=${value}`).join('&');
      return { status: 200, headers: {}, body: `POST ${way.action}\n\n${body}` };
    },
  };
}

const prefixes = [clientPropertyPrefix, memberPropertyPrefix];

const lacked: ReadonlySet<string> = new Set(['parameter', 'business_context', 'partner_id']);
