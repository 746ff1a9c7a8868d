// The promises of the OpenAPI document: a validator accepts it for every dialect, its examples fit its
// schemas, and a client that a generator makes of it gets, uses and refreshes tokens.

import assert from 'node:assert/strict';
import { writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { describe, test, type TestContext } from 'node:test';
import { pathToFileURL } from 'node:url';

import { Validator } from '@seriousme/openapi-schema-validator';
import { Ajv2020 } from 'ajv/dist/2020.js';
import { build } from 'esbuild';
import { generateSource } from 'oazapfts';

import { readBody } from '../../../src/contract/partner/openapi/answers.ts';
import { openapiDocument } from '../../../src/contract/partner/openapi/document.ts';
import { scratchFolder } from '../../support/scratch.ts';
import { dialectFiles, guideOf, openScene, type PartnerScene, returnFrom } from './scene.ts';

const root = join(import.meta.dirname, '../../..');

interface Content {
  readonly schema: object;
  readonly examples?: Readonly<Record<string, { readonly value: unknown }>>;
}

type ContentByType = Readonly<Record<string, Content>>;

interface Document {
  readonly paths: Readonly<
    Record<
      string,
      Readonly<
        Record<
          string,
          { readonly responses?: Readonly<Record<string, { readonly content?: ContentByType }>> }
        >
      >
    >
  >;
}

describe('every dialect', () => {
  for (const file of dialectFiles) {
    test(`${file}: a validator accepts the document, and its examples fit its schemas`, async () => {
      const guide = guideOf(file, 'https://tokens.example/oauth');
      const document = openapiDocument(guide);
      const { valid, errors } = await new Validator().validate({ ...document });
      assert.ok(valid, JSON.stringify(errors));
      const { paths } = document as Document;
      for (const { path } of guide.programme.tokenEndpoints) {
        assert.ok(paths[path.replace(/^\/oauth/, '')], path);
      }
      const contents = Object.values(paths)
        .flatMap((item) => Object.values(item))
        .flatMap(({ responses = {} }) => Object.values(responses))
        .flatMap(({ content = {} }) => Object.values(content));
      const examples = contents.flatMap(({ schema, examples: named = {} }) =>
        Object.values(named).map(({ value }) => ({ schema, value })),
      );
      assert.ok(examples.length > 5);
      const ajv = new Ajv2020({ strict: true, allowUnionTypes: true });
      for (const { schema, value } of examples) {
        assert.ok(ajv.validate(schema, value), `${JSON.stringify(value)} ${ajv.errorsText()}`);
      }
    });
  }
});

test('a body that is not of the media type that its dialect names is told as a text', () => {
  assert.deepEqual(readBody('application/json', '{"a":1}'), { a: 1 });
  assert.equal(readBody('application/json', 'access_token=a'), 'access_token=a');
});

interface Answered {
  readonly status: number;
  readonly data: Readonly<Record<string, unknown>>;
}

type Client = Readonly<Record<string, (...given: readonly unknown[]) => Promise<Answered>>>;

/** The client that a generator makes of the document. */
async function generatedClient(t: TestContext, { guide }: PartnerScene): Promise<Client> {
  const folder = scratchFolder(t, 'openapi');
  const file = join(folder, 'document.json');
  writeFileSync(file, JSON.stringify(openapiDocument(guide)));
  const contents = await generateSource(file);
  const outfile = join(folder, 'client.mjs');
  const stdin = { contents, loader: 'ts', resolveDir: root } as const;
  await build({ stdin, outfile, bundle: true, format: 'esm', platform: 'node', logLevel: 'error' });
  return (await import(pathToFileURL(outfile).href)) as Client;
}

async function codeOf(scene: PartnerScene, target: string, method: string): Promise<string> {
  const back = await returnFrom(scene, scene.url + target, method);
  return back.searchParams.get('code') ?? '';
}

describe('a generated client', () => {
  test('of a dialect of forms gets, refreshes and is refused tokens', async (t) => {
    const scene = await openScene(t, 'programmes/executive-club.yaml');
    const { client } = scene;
    const { tokenGrant } = await generatedClient(t, scene);
    assert.ok(tokenGrant);
    const headers = { authorization: client.basic };
    const own = await tokenGrant({ grant_type: 'client_credentials' }, { headers });
    assert.deepEqual([own.status, own.data['scope']], [200, 'AUTHN-LEVEL-15']);
    const target = `/executive-club/auth/login?client_id=${client.id}&response_type=code`;
    const code = await codeOf(scene, target, 'GET');
    const first = await tokenGrant({ grant_type: 'authorization_code', code }, { headers });
    const { refresh_token } = first.data;
    const next = await tokenGrant({ grant_type: 'refresh_token', refresh_token }, { headers });
    assert.equal(next.status, 200);
    assert.notEqual(next.data['refresh_token'], refresh_token);
    const wrong = await tokenGrant({ grant_type: 'authorization_code', code: 'x' }, { headers });
    assert.deepEqual([wrong.status, wrong.data], [400, { error: 'invalid_grant' }]);
  });

  test('of a dialect of queries and headers does so too', async (t) => {
    const scene = await openScene(t, 'programmes/second-club.yaml');
    const { client } = scene;
    const { tokenKey, tokenRefresh, keys } = await generatedClient(t, scene);
    assert.ok(tokenKey && tokenRefresh && keys);
    const headers = { authorization: client.basic };
    const named = { 'programme-identifier': 'SecondClub' };
    const query = new URLSearchParams({
      ...named,
      response_type: 'code',
      client_id: client.id,
      'business-context-identifier': 'PartnerContext',
    });
    const code = await codeOf(scene, `/second-club/secure/code?${query.toString()}`, 'POST');
    const naming = ['SecondClub', 'PartnerContext'] as const;
    const first = await tokenKey(...naming, 'authorization_code', { code }, { headers });
    assert.equal(first.status, 200);
    const { refresh_token } = first.data;
    const body = { grant_type: 'refresh_token', refresh_token };
    const next = await tokenRefresh(...naming, body, {}, { headers });
    assert.equal(next.status, 200);
    const set = await keys();
    assert.equal(Array.isArray(set.data['keys']), true);
  });

  test('of a dialect of JSON does so too', async (t) => {
    const scene = await openScene(t, 'test/dialects/json-nested.yaml');
    const { client } = scene;
    const { tokenGrant } = await generatedClient(t, scene);
    const proof = { clientId: client.id, clientSecret: client.secret };
    const own = await tokenGrant?.({ grantType: 'clientCredentials', ...proof });
    assert.equal(own?.status, 200);
    const { result } = own.data as { result: { auth: { accessToken: string } } };
    assert.match(result.auth.accessToken, /^\S+$/);
  });
});
