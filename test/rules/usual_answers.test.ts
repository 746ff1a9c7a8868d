// What a dialect answers to a failure that it does not word: the row of the reason says it.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { stringify } from 'yaml';

import type { ErrorMapping } from '../../src/language/errors_schema.ts';
import { formatFault } from '../../src/lib/fault.ts';
import {
  loginErrorCode,
  pageOnlyLoginReasons,
  type RedirectableLoginFailure,
  redirectableLoginReasons,
} from '../../src/oauth/login_reasons.ts';
import { failureReasons, gatewayRefusals, usualAnswer } from '../../src/oauth/reasons.ts';
import { effectiveDocument } from '../../src/rules/effective_document.ts';
import { type LoadedProgramme, loadProgramme } from '../../src/rules/load.ts';
import { explain } from '../../src/server/why/explain.ts';
import { shippedProgramme } from '../support/jetway.ts';

const { loaded: club } = loadProgramme('club.yaml', shippedProgramme('executive-club'));
assert.ok(club);
const { errors, ...dialect } = effectiveDocument(club);

/** A whole dialect without a variant, whose `errors` has these lines. */
function loadedWith(words: string): LoadedProgramme {
  const fields = 'fields: { error: error, error_description: error_description }';
  const yaml = `${stringify(dialect)}errors:\n  ${[fields, ...words.split('\n')].join('\n  ')}\n`;
  const { loaded, faults } = loadProgramme('own.yaml', yaml);
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  return loaded;
}

function answersOf(words: string): Readonly<Record<string, ErrorMapping>> {
  return loadedWith(words).definition.errors.reasons;
}

test('a dialect without a variant that words no reason answers each as its row says', () => {
  const answers = answersOf('');
  assert.deepEqual(Object.keys(answers).toSorted(), failureReasons.toSorted());
  for (const reason of failureReasons) {
    assert.deepEqual(answers[reason], { extra: {}, headers: {}, ...usualAnswer(reason) });
  }
});

test('RFC 6749 5.2, RFC 8707 2: a usual answer is 400 and a code of the RFC, and 401 has a challenge', () => {
  const codes =
    /^(?:invalid_(?:request|client|grant|scope|target|token)|unauthorized_client|unsupported_grant_type|insufficient_scope|server_error|temporarily_unavailable)$/;
  const statuses = new Set([400, 401, 403, 405, 413, 429, 500, 503]);
  for (const reason of failureReasons) {
    const { status, error, challenge } = usualAnswer(reason);
    assert.match(error, codes, reason);
    assert.ok(statuses.has(status), reason);
    assert.equal(challenge !== undefined, status === 401 || status === 403, reason);
    assert.equal(status, gatewayRefusals.get(reason) ?? status);
  }
  assert.deepEqual(usualAnswer('client_authentication_failed'), {
    status: 401,
    error: 'invalid_client',
    challenge: 'basic',
  });
  assert.equal(usualAnswer('invalid_code').error, 'invalid_grant');
});

test('an answer with an error of its own is whole; one without is laid over the usual one', () => {
  const {
    throttled,
    invalid_header: header,
    missing_parameter: missing,
    invalid_token: token,
  } = answersOf(
    `reasons: { throttled: { status: 503, error: slow_down }, invalid_header: { error_code: 7 } }
groups: [{ reasons: all, status: 422 }, { reasons: [missing_parameter], error: absent }]`,
  );
  assert.deepEqual(throttled, { extra: {}, headers: {}, status: 503, error: 'slow_down' });
  assert.deepEqual(header, {
    extra: {},
    headers: {},
    ...usualAnswer('invalid_header'),
    status: 422,
    error_code: 7,
  });
  assert.deepEqual(missing, { extra: {}, headers: {}, status: 422, error: 'absent' });
  assert.equal(token?.status, 401);
});

test('a dialect that words invalid_code alone answers a bad assertion so, as it did before', () => {
  const { invalid_assertion: assertion } = answersOf(
    'reasons: { invalid_code: { status: 401, error: LOGIN_AGAIN } }',
  );
  assert.deepEqual(assertion, { extra: {}, headers: {}, status: 401, error: 'LOGIN_AGAIN' });
});

test('RFC 6749 4.1.2.1: a login failure that a dialect leaves out is a redirect with its code', () => {
  const { authorize, ...others } = dialect as { authorize: { failures: Record<string, unknown> } };
  const pages = Object.entries(authorize.failures).filter(([name]) => name in pageOnlyLoginReasons);
  const whole = { ...others, authorize: { ...authorize, failures: Object.fromEntries(pages) } };
  const { loaded, faults } = loadProgramme('own.yaml', stringify({ ...whole, errors }));
  assert.ok(loaded, faults.map(formatFault).join('\n'));
  const { failures } = loaded.definition.authorize;
  for (const reason of Object.keys(redirectableLoginReasons) as RedirectableLoginFailure[]) {
    assert.deepEqual(failures[reason], { redirect: loginErrorCode(reason) ?? 'invalid_request' });
  }
});

test('why tells a usual answer as one by default, and an answer of the file at its line', () => {
  const refusal = {
    request_id: '7Q2M0ZK4T9XB',
    time: '2026-11-23T10:04:31.207Z',
    endpoint: 'token',
    path: '/executive-club/api/grant',
    method: 'POST',
    status: 429,
    reason: 'throttled',
    step: 'throttle',
  } as const;
  const told = (words: string) => explain(refusal, loadedWith(words), [], 'own.yaml');
  const usual = told('');
  assert.equal(usual.error, 'temporarily_unavailable');
  assert.equal(usual.answer_line?.key, 'errors.reasons.throttled');
  assert.equal(usual.answer_line?.is_default, true);
  const own = told('reasons: { throttled: { status: 503, error: slow_down } }');
  assert.equal(own.error, 'slow_down');
  assert.equal(own.answer_line?.is_default, false);
});
