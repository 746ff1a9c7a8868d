// Owns the promises of TLS to a hook: whom Jetway believes, and how it shows who it is.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { HookCredentials } from '../../src/members/hook.ts';
import { createAuthority } from '../support/certificates.ts';
import { hookMember, memberDirectory, type RunningHook, startHook } from '../support/hook.ts';
import { without } from '../support/tools.ts';
import { attempt, openDirectory } from './directory_fixture.ts';

const airline = createAuthority('Airline');
const stranger = createAuthority('Stranger');
const server = airline.issue('IP:127.0.0.1');
const jetway = airline.issue('DNS:jetway.example');

const tls = { cert: server.certificate, key: server.key };
const mutual = { ...tls, ca: airline.certificate, requestCert: true, rejectUnauthorized: true };
const listener = memberDirectory({ secrets: [], members: [hookMember('ann')] });

/** The outcome, or why there is none. */
function ask(hook: RunningHook, credentials: Partial<HookCredentials>): Promise<string> {
  const { directory } = openDirectory(hook.url, { credentials: { secrets: [], ...credentials } });
  return directory.verify(attempt('ann')).then(
    ({ outcome }) => outcome,
    (error: unknown) => (error as Error).message.replace(/^.*?: /, ''),
  );
}

describe('TLS to a hook', { skip: without('openssl') }, () => {
  test('a private authority is believed where it is named, and only there', async (t) => {
    const hook = await startHook(t, listener, tls);
    assert.equal(await ask(hook, { authorities: airline.certificate }), 'match');
    for (const credentials of [{}, { authorities: stranger.certificate }]) {
      const told = await ask(hook, credentials);
      assert.match(
        told,
        /^no connection \((?:UNABLE_TO_VERIFY_LEAF_SIGNATURE|SELF_SIGNED_CERT_IN_CHAIN|UNABLE_TO_GET_ISSUER_CERT_LOCALLY)\)$/,
      );
    }
    assert.equal(hook.asked.length, 1, 'nothing was said to who is not believed');
  });

  test('a certificate of another name is refused', async (t) => {
    const { certificate: cert, key } = airline.issue('DNS:members.example');
    const hook = await startHook(t, listener, { cert, key });
    const told = await ask(hook, { authorities: airline.certificate });
    assert.equal(told, 'no connection (ERR_TLS_CERT_ALTNAME_INVALID)');
    assert.deepEqual(hook.asked, []);
  });

  test('NODE_TLS_REJECT_UNAUTHORIZED does not make Jetway believe anybody', async (t) => {
    const hook = await startHook(t, listener, tls);
    process.env['NODE_TLS_REJECT_UNAUTHORIZED'] = '0';
    t.after(() => {
      delete process.env['NODE_TLS_REJECT_UNAUTHORIZED'];
    });
    assert.notEqual(await ask(hook, {}), 'match');
    assert.deepEqual(hook.asked, []);
  });

  test('mutual TLS: the certificate says who asks, without it or with a stranger\u2019s nobody is answered', async (t) => {
    const hook = await startHook(t, listener, mutual);
    const authorities = airline.certificate;
    assert.equal(await ask(hook, { authorities, ...jetway }), 'match');
    const before = hook.asked.length;
    for (const credentials of [{}, stranger.issue('DNS:jetway.example')]) {
      assert.match(await ask(hook, { authorities, ...credentials }), /^no connection \(/);
    }
    assert.equal(hook.asked.length, before);
    assert.equal(hook.headers[0]?.['jetway-signature'], undefined);
  });
});
