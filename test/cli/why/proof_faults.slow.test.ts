// Owns the promise that `why` tells faults of credentials and proof keys apart (HOSTILE 90), while the
// answers stay alike (HOSTILE 38, 40, G-16, G-17).

import assert from 'node:assert/strict';
import { hash } from 'node:crypto';
import { describe, test, type TestContext } from 'node:test';

import { logIn } from '../../support/login.ts';
import { configText, jetwayJson, programmeText, workFolder } from '../command.ts';
import { startServer } from '../server.ts';
import {
  assertAllPlayed,
  type FaultCase,
  get,
  postForm,
  tellFaults,
  type Told,
} from './fault_scene.ts';

const secret = 'a-secret+of/some%41length';
const callback = 'https://partner.example/callback';
const member = { username: 'ann', password: 'a good password' };

function dialect(name: string, authentication: string): string {
  const all = programmeText(
    name,
    'token_endpoints: { grant: { inputs: { code_verifier: {} } } }\n',
  );
  return all.replace('credentials: form', `${authentication}, failure_limit: off`);
}

const programmes = {
  'programmes/club.yaml': dialect('Club', 'credentials: raw'),
  'programmes/form.yaml': dialect('Form', 'credentials: form'),
  'programmes/each.yaml': dialect('Each', 'credentials: base64'),
  'programmes/half.yaml': dialect('Half', 'methods: [secret], secret_half: second'),
  'programmes/signed.yaml': dialect(
    'Signed',
    'methods: [signature], signature: { hmac: sha256, of: [client_id] }',
  ).replace('code_verifier: {}', 'client_signature: {}'),
};

interface Site {
  readonly folder: string;
  readonly url: string;
  readonly id: string;
  readonly advance: (seconds: number) => Promise<void>;
  /** Asks for a token with these headers Authorization. */
  readonly ask: (programme: string, ...sent: readonly string[]) => () => Promise<Told>;
}

async function openSite(t: TestContext): Promise<Site> {
  const folder = workFolder(t, { 'config.yaml': configText, ...programmes });
  let id = '';
  for (const programme of ['club', 'form', 'each', 'half', 'signed']) {
    const options = [
      '--name',
      'A',
      '--role',
      'partner',
      '--role',
      'member',
      '--redirect-uri',
      callback,
    ];
    const own = ['--client-id', 'partnerapi-00001', '--secret-stdin'];
    const args = ['client', 'add', '--programme', programme, ...options, ...own];
    const added = await jetwayJson(folder, args, secret);
    ({ client_id: id } = added as { readonly client_id: string });
  }
  const add = ['member', 'add', '--programme', 'club', '--username', member.username];
  await jetwayJson(folder, [...add, '--password-stdin'], member.password);
  const { url, advance } = await startServer(t, folder);
  const fields = { grant_type: 'client_credentials' };
  return {
    folder,
    url,
    id,
    advance,
    ask: (programme, ...sent) => {
      const authorization = sent.length === 1 ? String(sent[0]) : sent;
      return () => postForm(`${url}/${programme}/api/grant`, fields, { authorization });
    },
  };
}

function b64(text: string | Uint8Array): string {
  return Buffer.from(text as Uint8Array).toString('base64');
}

/** Whether a row of the table is of a proof that this file plays. */
const isOurs = (fault: string): boolean =>
  !/^(?:certificate|assertion|client_without)_/.test(fault);

function headerCases({ ask, id }: Site): readonly FaultCase[] {
  const pair = `${id}:${secret}`;
  const good = `Basic ${b64(pair)}`;
  return [
    ['several_headers', ask('club', good, good)],
    ['header_too_long', ask('club', `Basic ${'A'.repeat(5000)}`)],
    ['other_scheme', ask('club', `Bearer ${b64(pair)}`)],
    ['scheme_misspelled', ask('club', `Baisc ${b64(pair)}`)],
    ['scheme_misspelled', ask('club', `Basic: ${b64(pair)}`)],
    ['scheme_missing', ask('club', b64(pair))],
    ['scheme_missing', ask('club', `Secret ${b64(pair)}`)],
    ['scheme_alone', ask('club', 'Basic')],
    ['scheme_separator', ask('club', `Basic\t${b64(pair)}`)],
    ['scheme_separator', ask('club', `Basic${b64(pair)}`)],
    ['credentials_wrapped', ask('club', `Basic ${b64(pair).slice(0, 8)} ${b64(pair).slice(8)}`)],
    ['credentials_plain', ask('club', `Basic ${pair}`)],
    [
      'credentials_base64url',
      ask('club', `Basic ${Buffer.from(`${id}:????????`).toString('base64url')}`),
    ],
    ['credentials_not_base64', ask('club', `Basic "${b64(pair)}"`)],
    ['credentials_cut', ask('club', `Basic ${b64(pair).replace(/=*$/, '').slice(0, 9)}`)],
    ['credentials_cut', ask('club', `Basic ${b64(`${id}:a`).replace(/=*$/, '')}===`.slice(0, -1))],
    ['credentials_utf16', ask('club', `Basic ${b64(Buffer.from(pair, 'utf16le'))}`)],
    ['credentials_utf16', ask('club', `Basic ${b64(Buffer.from(`\ufeff${pair}`, 'utf16le'))}`)],
    ['credentials_not_utf8', ask('club', `Basic ${b64(Buffer.from(`${id}:é`, 'latin1'))}`)],
    ['credentials_encoded_twice', ask('club', `Basic ${b64(b64(pair))}`)],
    ['credentials_no_colon', ask('club', `Basic ${b64(secret)}`)],
    ['identifier_empty', ask('club', `Basic ${b64(`:${secret}`)}`)],
    ['secret_line_end', ask('club', `Basic ${b64(`${pair}\n`)}`)],
    ['secret_line_end', ask('club', `Basic ${b64(`${pair}\r\n`)}`)],
    ['secret_line_end', ask('each', `Basic ${b64(`${b64(id)}:${b64(`${secret}\n`)}`)}`)],
    ['line_end_inside', ask('club', `Basic ${b64(`${id}\n:${secret}`)}`)],
    ['control_character', ask('club', `Basic ${b64(`${pair}\u0007`)}`)],
    ['percent_malformed', ask('form', `Basic ${b64(`${id}:100%`)}`)],
    ['secret_line_end', ask('form', `Basic ${b64(`${id}:a%0A`)}`)],
    ['halves_not_base64', ask('each', `Basic ${b64(pair)}`)],
    ['secret_half_misplaced', ask('half', `Basic ${b64(`${secret}:`)}`)],
  ];
}

function secretCases({ ask, id, url, folder, advance }: Site): readonly FaultCase[] {
  const signed = { grant_type: 'client_credentials', client_id: id, client_signature: 'wrong' };
  const sending = (text: string) => ask('club', `Basic ${b64(`${id}:${text}`)}`);
  return [
    ['client_unknown', ask('club', `Basic ${b64(`partnerapi-00009:${secret}`)}`)],
    ['client_unknown', ask('club', `Basic ${b64(`partner-1:${secret}`)}`)],
    [
      'client_disabled',
      async () => {
        await jetwayJson(folder, ['client', 'disable', id, '--programme', 'club']);
        const told = await sending(secret)();
        await jetwayJson(folder, ['client', 'enable', id, '--programme', 'club']);
        return told;
      },
    ],
    ['secret_empty', sending('')],
    ['secret_white_space', sending(`${secret} `)],
    ['secret_quoted', sending(`"${secret}"`)],
    ['secret_percent', sending(encodeURIComponent(secret))],
    ['secret_other', sending('another-secret')],
    ['secret_other', sending('another-secret ')],
    ['signature_other', () => postForm(`${url}/signed/api/grant`, signed)],
    [
      'secret_ended',
      async () => {
        await jetwayJson(folder, [
          'client',
          'rotate-secret',
          id,
          '--programme',
          'club',
          '--overlap',
          '1m',
        ]);
        await advance(120);
        return sending(secret)();
      },
    ],
  ];
}

const s256 = (text: string | Uint8Array): string => hash('sha256', text, 'base64url');
const verifier = 'dBjftJeZ4CVP-mB92K27uhbUJU1p1r_wW1gFWFOEjXk';

function verifierCases({ url, id }: Site): readonly FaultCase[] {
  const target = (query: Readonly<Record<string, string>>): string => {
    const asked = { client_id: id, response_type: 'code', redirect_uri: callback, ...query };
    return `/club/auth/login?${new URLSearchParams(asked).toString()}`;
  };
  const redeem = (challenge: string | undefined, sent: string | undefined) => async () => {
    const method = { code_challenge_method: 'S256' };
    const query = challenge === undefined ? {} : { code_challenge: challenge, ...method };
    const code = await logIn(url, target(query), member);
    const fields = { grant_type: 'authorization_code', code };
    const proof = sent === undefined ? fields : { ...fields, code_verifier: sent };
    const authorization = `Basic ${b64(`${id}:${secret}`)}`;
    return postForm(`${url}/club/api/grant`, proof, { authorization });
  };
  const begin = (code_challenge: string, more: Readonly<Record<string, string>>) => () =>
    get(url + target({ code_challenge, ...more }));
  const method = { code_challenge_method: 'S256' };
  const digest = hash('sha256', verifier, 'hex');
  return [
    ['verifier_missing', redeem(s256(verifier), undefined)],
    ['verifier_undeclared', redeem(undefined, verifier)],
    ['verifier_short', redeem(s256('short'), 'short')],
    ['verifier_long', redeem(s256('a'.repeat(129)), 'a'.repeat(129))],
    ['verifier_characters', redeem(s256(`${verifier}=`), `${verifier}=`)],
    ['verifier_is_challenge', redeem(verifier, verifier)],
    ['challenge_of_line_end', redeem(s256(`${verifier}\n`), verifier)],
    ['challenge_of_bytes', redeem(s256(Buffer.from(verifier, 'base64url')), verifier)],
    ['verifier_other', redeem(s256('of another login'), verifier)],
    ['challenge_padded', begin(`${s256(verifier)}=`, method)],
    ['challenge_hex', begin(digest, method)],
    ['challenge_base64', begin(`${s256(verifier).slice(0, 42)}+`, method)],
    ['method_plain', begin(verifier, { code_challenge_method: 'plain' })],
    ['method_plain', begin(verifier, {})],
    ['method_spelling', begin(s256(verifier), { code_challenge_method: 's256' })],
  ];
}

describe('HOSTILE 90: faults of what a client sends to prove itself', () => {
  test('each has its own words, and the answers are alike', async (t) => {
    const site = await openSite(t);
    const verifiers = verifierCases(site);
    const headers = headerCases(site);
    const secrets = secretCases(site);
    const hidden = [secret, encodeURIComponent(secret), 'another-secret', verifier, s256(verifier)];
    const malformed = await tellFaults(site.folder, headers, hidden);
    assert.deepEqual(malformed, { 400: new Set(['{"error":"invalid_client"}']) });
    const proofs = await tellFaults(site.folder, verifiers, hidden);
    assert.deepEqual(proofs[400], new Set(['{"error":"invalid_grant"}']));
    const wrong = await tellFaults(site.folder, secrets, hidden);
    assert.deepEqual(wrong, { 401: new Set(['{"error":"invalid_client"}']) });
    assertAllPlayed([...headers, ...secrets, ...verifiers], isOurs);
  });
});
