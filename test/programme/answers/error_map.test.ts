// Tests of error answers: every reason has one, told in the dialect's words and nobody else's.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import { failureReasons } from '../../../src/oauth/reasons.ts';
import { compileProgramme } from '../../../src/programme/programme.ts';
import { errorsOf, loadClub, programmeOf } from '../../support/definition.ts';
import { publicUrl } from '../../support/jetway.ts';
import { anyText, fc } from '../../support/property.ts';

const noStore = { 'Cache-Control': 'no-store', Pragma: 'no-cache' };
const headers = { 'Content-Type': 'application/json', ...noStore };

const { renderFailure: render } = programmeOf();

describe('error map', () => {
  test('C-10: every reason has an answer that may not be kept', () => {
    for (const reason of failureReasons) {
      const { status, headers: sent, body } = render(reason);
      assert.ok(status >= 400 && status <= 599, reason);
      assert.deepEqual({ ...sent, ...headers }, sent, reason);
      const parsed = JSON.parse(body) as Readonly<Record<string, string>>;
      assert.match(parsed['error'] ?? '', /^[a-z_]+$/);
      assert.deepEqual(
        Object.keys(parsed).slice(1),
        Object.keys(parsed).filter((name) => name === 'error_description'),
      );
    }
  });

  test('a mapping that is no answer does not load', () => {
    for (const reason of failureReasons) {
      const errors = errorsOf(`errors: { reasons: { ${reason}: { status: 9 } } }`);
      assert.equal(errors.length, 1, reason);
      assert.match(errors[0] ?? '', new RegExp(`^errors\\.reasons\\.${reason}\\.status: `));
    }
  });

  test('the parameter at fault is named, whatever it is called', () => {
    const answer = render('missing_parameter', { parameter: 'code' });
    assert.deepEqual(answer, {
      status: 400,
      headers,
      body: '{"error":"invalid_request","error_description":"code is missing"}',
    });
    // Names are put in, not patterns of a replacement.
    const odd = JSON.parse(render('unknown_parameter', { parameter: "$&$'$1-_.x" }).body) as object;
    assert.deepEqual(odd, {
      error: 'invalid_request',
      error_description: '1-_.x is not a known parameter',
    });
  });

  test('HOSTILE 51: no name brings more into an answer than letters, digits and three signs', () => {
    fc.assert(
      fc.property(anyText(80), (parameter) => {
        const { body } = render('unknown_parameter', { parameter });
        const { error_description: text } = JSON.parse(body) as { error_description: string };
        assert.match(text, /^[\w.-]{0,60} ?is not a known parameter$/);
      }),
    );
  });

  const secret = { rule: ['sealed'], expected: 'sealed', came: 'sealed' };

  test('the cause, for operators, is told to nobody', () => {
    for (const reason of failureReasons) {
      const { body } = render(reason, { cause: secret, scope: 'sealed', parameter: 'p' });
      assert.ok(!body.includes('sealed'), reason);
    }
  });

  test('a time to wait is told in whole seconds, one at least', () => {
    const waits = [0, 0.2, 1, 1.001, 59.999].map(
      (retryAfter) => render('throttled', { retryAfter }).headers['Retry-After'],
    );
    assert.deepEqual(waits, ['1', '1', '1', '2', '60']);
    assert.equal(render('throttled').headers['Retry-After'], undefined);
  });

  test('the realm of the challenge is the programme’s name without what would end it', () => {
    const { renderFailure } = programmeOf('name: "Club \\"A\\\\B\\" é"');
    const challenge = renderFailure('client_authentication_failed').headers['WWW-Authenticate'];
    assert.equal(challenge, 'Basic realm="Club AB "');
  });

  test('HOSTILE 87: where that leaves no letter or digit, the realm is the programme’s identifier', () => {
    for (const name of ['北京航空', 'Ё', '日本 航空', '"\\"', ' - ']) {
      const { renderFailure } = programmeOf(`name: ${JSON.stringify(name)}`);
      const challenge = renderFailure('client_authentication_failed').headers['WWW-Authenticate'];
      assert.equal(challenge, 'Basic realm="executive-club"', name);
    }
    fc.assert(
      fc.property(
        anyText(12).filter((text) => /^[^\p{Cc}\ufeff\ufffd]+$/u.test(text)),
        (name) => {
          const { loaded } = loadClub(`name: ${JSON.stringify(name)}`);
          if (loaded === undefined) return;
          const { renderFailure } = compileProgramme(loaded.id, loaded.definition, publicUrl);
          for (const reason of ['client_authentication_failed', 'missing_token'] as const) {
            const challenge = renderFailure(reason).headers['WWW-Authenticate'] ?? '';
            assert.match(
              challenge,
              /^(?:Basic|Bearer) realm="[ !#-[\]-~]*[A-Za-z0-9][ !#-[\]-~]*"$/,
            );
          }
        },
      ),
      { numRuns: 25 },
    );
  });

  test('an answer without facts is the same object each time, and cannot be changed', () => {
    const [one, other] = [render('invalid_code'), render('invalid_code', { cause: secret })];
    assert.equal(one, other);
    assert.equal(Object.isFrozen(one) && Object.isFrozen(one.headers), true);
  });
});
