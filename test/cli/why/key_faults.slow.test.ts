// Owns the promise that `why` tells faults of certificates and assertions apart (HOSTILE 90).

import assert from 'node:assert/strict';
import { randomUUID } from 'node:crypto';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';

import { encode, keySet, signJwt, signText, testKey } from '../../support/assertions.ts';
import { type Certified, createAuthority } from '../../support/certificates.ts';
import { without } from '../../support/tools.ts';
import { configText, jetwayJson, programmeText, putSecret, workFolder } from '../command.ts';
import { startServer } from '../server.ts';
import { assertAllPlayed, type FaultCase, postForm, tellFaults, type Told } from './fault_scene.ts';

async function addClient(
  folder: string,
  programme: string,
  ...options: readonly string[]
): Promise<string> {
  const usual = ['--programme', programme, '--name', 'A', '--role', 'partner', '--incomplete'];
  const added = await jetwayJson(folder, ['client', 'add', ...usual, ...options]);
  return (added as { readonly client_id: string }).client_id;
}

const own = { grant_type: 'client_credentials' };

describe('HOSTILE 90: faults of certificates', { skip: without('openssl') }, () => {
  test('each has its own words, and the answers are alike', async (t) => {
    const jetway = createAuthority('Jetway');
    const server = jetway.issue('IP:127.0.0.1', 90);
    const partners = createAuthority('Partners');
    const subject = '/O=Some Partner/CN=api';
    const right = partners.issue('DNS:api.partner.example', 90, subject);
    const tls = `tls: { certificate_file: own.pem, key_file: own.key, client_authorities_file: partners.pem }\n`;
    const methods = 'methods: [self_signed_tls_client_auth, tls_client_auth], failure_limit: off';
    const folder = workFolder(t, {
      'config.yaml': configText.replace('https://tokens.example', 'https://127.0.0.1') + tls,
      'programmes/club.yaml': programmeText('Club').replace('credentials: form', methods),
      'own.pem': server.certificate,
      'partners.pem': partners.certificate,
      'registered.pem': right.certificate,
    });
    putSecret(folder, 'own.key', server.key);
    const dn = (name: string): Promise<string> =>
      addClient(folder, 'club', '--certificate-subject', name);
    const clients = {
      pinned: await addClient(folder, 'club', '--certificate', 'registered.pem'),
      subject: await dn('CN=api,O=Some Partner'),
      turned: await dn('O=Some Partner,CN=api'),
      host: await dn('dns:api.partner.example'),
      link: await dn('uri:https://api.partner.example'),
      bare: await addClient(folder, 'club'),
    };
    const site = await startServer(t, folder);
    const show = (client: keyof typeof clients, shown?: Certified) => (): Promise<Told> => {
      const fields = { ...own, client_id: clients[client] };
      const pair = shown && { cert: shown.certificate, key: shown.key };
      const url = `${site.url}/club/api/grant`;
      return postForm(url, fields, {}, { ca: jetway.certificate, ...pair });
    };
    const stranger = createAuthority('Stranger').issue('DNS:api.partner.example', 90, subject);
    const elsewhere = partners.issue('DNS:other.partner.example', 90, '/O=Some Partner/CN=other');
    const cases: readonly FaultCase[] = [
      ['certificate_unregistered', show('pinned', stranger)],
      ['certificate_unvouched', show('subject', stranger)],
      ['certificate_subject_order', show('turned', right)],
      ['certificate_other_subject', show('subject', elsewhere)],
      ['certificate_other_name', show('host', elsewhere)],
      ['certificate_without_name', show('link', right)],
      ['client_without_certificate', show('bare', right)],
    ];
    const hidden = [right.certificate, 'other.partner.example', 'CN=other'];
    const answers = await tellFaults(folder, cases, hidden);
    assert.deepEqual(answers, { 401: new Set(['{"error":"invalid_client"}']) });
    const missing: FaultCase = ['certificate_missing', show('subject')];
    await tellFaults(folder, [missing], hidden);
    assert.equal((await show('pinned', right)()).status, 200);
    const ended: FaultCase = [
      'certificate_ended',
      async () => {
        await site.advance(100 * 86_400);
        return show('pinned', right)();
      },
    ];
    assert.deepEqual(await tellFaults(folder, [ended], hidden), answers);
    assertAllPlayed([...cases, missing, ended], (fault) => /^(?:cert|client_w)/.test(fault));
  });
});

const key = testKey('ES256', 'key-1');
const stranger = testKey('ES256', 'key-1');
const aud = 'https://tokens.example/jwt';

async function openAssertions(t: TestContext) {
  const inputs =
    'token_endpoints: { grant: { inputs: { client_assertion: {}, client_assertion_type: {} } } }\n';
  const methods =
    'methods: [private_key_jwt], assertion: { algorithms: [ES256, RS256] }, failure_limit: off';
  const folder = workFolder(t, {
    'config.yaml': configText,
    'programmes/jwt.yaml': programmeText('Jwt', inputs).replace('credentials: form', methods),
  });
  writeFileSync(join(folder, 'keys.json'), keySet(key));
  const id = await addClient(folder, 'jwt', '--jwks', 'keys.json');
  const keyless = await addClient(folder, 'jwt');
  const { url } = await startServer(t, folder);
  const send = (jwt: string) => (): Promise<Told> =>
    postForm(`${url}/jwt/api/grant`, {
      ...own,
      client_id: id,
      client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
      client_assertion: jwt,
    });
  return { folder, id, keyless, url, send };
}

describe('HOSTILE 90: faults of assertions', () => {
  test('each has its own words, and the answers are alike', async (t) => {
    const { folder, id, keyless, url, send } = await openAssertions(t);
    const exp = Math.floor(Date.now() / 1000) + 60;
    const claims = (more: object = {}): Readonly<Record<string, unknown>> => ({
      iss: id,
      sub: id,
      aud,
      exp,
      jti: randomUUID(),
      ...more,
    });
    const jwt = (more: object = {}, header: Readonly<Record<string, unknown>> = {}): string =>
      signJwt(key, claims(more), header);
    const repeated = jwt();
    assert.equal((await send(repeated)()).status, 200);
    const keylessly = (assertion: string): Promise<Told> => {
      const fields = { ...own, client_id: keyless, client_assertion: assertion };
      const type = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer';
      return postForm(`${url}/jwt/api/grant`, { ...fields, client_assertion_type: type });
    };
    const unreadable: readonly FaultCase[] = [
      ['assertion_encrypted', send('eyJhbGciOiJSU0EtT0FFUCJ9.a.b.c.d')],
      ['assertion_no_jwt', send('a-secret-in-its-place')],
      ['assertion_no_json', send(signText(key, '["no claims"]'))],
      ['assertion_crit', send(jwt({}, { crit: ['b64'], b64: true }))],
      ['assertion_algorithm', send(jwt({}, { alg: 'HS256' }))],
      ['assertion_algorithm', send(`${encode({ alg: 'none' })}.${encode(claims())}.`)],
      ['assertion_type', send(jwt({}, { typ: 'at+jwt' }))],
      ['assertion_member', send(jwt({ sub: null }))],
    ];
    const wrong: readonly FaultCase[] = [
      ['assertion_keyless', () => keylessly(jwt({ iss: keyless, sub: keyless }))],
      ['assertion_other_algorithm', send(signJwt(testKey('ES384', 'key-1'), claims()))],
      ['assertion_kid', send(jwt({}, { kid: 'key-2' }))],
      ['assertion_key_kind', send(signJwt(testKey('RS256', 'key-1'), claims()))],
      ['assertion_signature', send(signJwt(stranger, claims()))],
      ['assertion_issuer', send(jwt({ iss: 'https://partner.example' }))],
      ['assertion_subject', send(jwt({ sub: 'somebody' }))],
      ['assertion_audience', send(jwt({ aud: `${aud}/` }))],
      ['assertion_ended', send(jwt({ exp: exp - 600 }))],
      ['assertion_no_end', send(jwt({ exp: undefined }))],
      ['assertion_far_end', send(jwt({ exp: exp + 86_400 }))],
      ['assertion_milliseconds', send(jwt({ exp: exp * 1000 }))],
      ['assertion_early', send(jwt({ iat: exp + 600 }))],
      ['assertion_id', send(jwt({ jti: undefined }))],
      ['assertion_replayed', send(repeated)],
    ];
    const hidden = [repeated.split('.')[2] ?? repeated, 'somebody', 'a-secret-in-its-place'];
    const malformed = await tellFaults(folder, unreadable, hidden);
    assert.deepEqual(malformed, { 400: new Set(['{"error":"invalid_client"}']) });
    const refused = await tellFaults(folder, wrong, hidden);
    assert.deepEqual(refused, { 401: new Set(['{"error":"invalid_client"}']) });
    assertAllPlayed([...unreadable, ...wrong], (fault) => fault.startsWith('assertion_'));
  });
});
