// The promise of the collection: Postman's own library reads it, and its requests, sent one after the
// other with the scripts between them, get, use and refresh tokens.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import postman from 'postman-collection';

import { present } from '../../../src/lib/present.ts';
import { postmanCollection } from '../../../src/programme/partner/collection.ts';
import { dialectFiles, guideOf, openScene, type PartnerScene, returnFrom } from './scene.ts';

const { Collection, VariableScope } = postman;

interface Answer {
  readonly code: number;
  readonly text: string;
  readonly headers: Headers;
}

/** Runs the scripts of one event as Postman's sandbox does, with what these scripts use of it. */
function runScripts(
  item: postman.Item,
  listen: string,
  variables: postman.VariableScope,
  answer?: Answer,
): void {
  const scope = {
    get: (name: string) => String(variables.get(name)),
    set: (name: string, value: string) => {
      variables.set(name, value, 'string');
    },
  };
  const response = answer && {
    code: answer.code,
    text: () => answer.text,
    headers: { get: (name: string) => answer.headers.get(name) },
  };
  const pm = { variables: scope, collectionVariables: scope, response };
  for (const event of item.events.listeners(listen)) {
    runInContext(event.script.toSource() ?? '', createContext({ pm, btoa, encodeURIComponent }));
  }
}

function resolved(text: string, variables: postman.VariableScope): string {
  const values = variables.toObject(false, true) as Readonly<Record<string, string>>;
  return text.replaceAll(/\{\{(\w+)\}\}/g, (_, name: string) => values[name] ?? '');
}

/** Sends the item's request as Postman would. */
async function send(item: postman.Item, variables: postman.VariableScope): Promise<Answer> {
  runScripts(item, 'prerequest', variables);
  const filled = (text: string): string => resolved(text, variables);
  const { request } = item;
  const url = filled(request.url.toString());
  const headers = new Headers(
    request.headers.all().map(({ key, value }) => [key, filled(value)] as [string, string]),
  );
  const [user, password] = ['username', 'password'].map((name) =>
    filled(String(request.auth?.parameters().get(name) ?? '')),
  );
  if (request.auth?.type === 'basic') {
    headers.set('authorization', `Basic ${btoa(`${user}:${password}`)}`);
  }
  const { body } = request;
  const isJson = body?.mode === 'raw';
  if (isJson) headers.set('content-type', 'application/json');
  const form = body?.urlencoded?.all().map(({ key, value }) => [key ?? '', filled(String(value))]);
  const sent = isJson ? filled(String(body.raw)) : form && new URLSearchParams(form);
  const answer = await fetch(url, {
    method: request.method,
    headers,
    redirect: 'manual',
    ...present({ body: sent }),
  });
  const told = { code: answer.status, text: await answer.text(), headers: answer.headers };
  runScripts(item, 'test', variables, told);
  return told;
}

/** The code of a member's login that begins with the item's request. */
async function codeFrom(
  scene: PartnerScene,
  { request }: postman.Item,
  variables: postman.VariableScope,
): Promise<string> {
  const address = resolved(request.url.toString(), variables);
  const back = await returnFrom(scene, address, request.method);
  const { code } = scene.guide.contract.definition.authorize.answer;
  return back.searchParams.get(code) ?? '';
}

const files = [
  ...['executive-club', 'second-club', 'third-club'].map((name) => `programmes/${name}.yaml`),
  ...['api-key-header', 'get-token', 'json-nested', 'nested-request', 'password-club'].map(
    (name) => `test/dialects/${name}.yaml`,
  ),
  ...['refresh-header', 'reservation-system', 'xml-agency'].map(
    (name) => `test/dialects/${name}.yaml`,
  ),
];

describe('requests, one after the other', () => {
  for (const file of files) {
    test(`${file}: all succeed`, async (t) => {
      const scene = await openScene(t, file);
      const { guide, client, apiKey, member, url } = scene;
      const { programme, definition } = guide.contract;
      const collection = new Collection(postmanCollection(guide));
      const variables = new VariableScope(collection.variables.all());
      const set = (name: string, value: string): void => {
        variables.set(name, value, 'string');
      };
      set('client_secret', client.secret);
      set('api_key', apiKey);
      set('member_username', member.username);
      set('member_password', member.password);
      const isOfMembers = [...programme.grants].some((grant) => grant !== 'client_credentials');
      // The last token of the collection is a member's where there is one.
      const kind = isOfMembers ? 'member' : 'client';
      set('api_url', `${url}${programme.ownPath}/verify/${kind}`);
      for (const item of collection.items.all() as postman.Item[]) {
        const answer = await send(item, variables);
        if (item.name === 'Log a member in') {
          assert.equal(answer.code, programme.login.endpoint.redirectStatus);
          set('code', await codeFrom(scene, item, variables));
          continue;
        }
        const expected = item.name === 'Call the API' ? 200 : definition.token_response.status;
        assert.equal(answer.code, expected, `${item.name}: ${answer.text}`);
      }
    });
  }
});

test('every dialect has a collection, whose variables are all declared', () => {
  for (const file of dialectFiles) {
    const json = postmanCollection(guideOf(file, 'https://tokens.example'));
    const collection = new Collection(json);
    assert.ok(collection.items.count() > 1, file);
    const used = [...JSON.stringify(json).matchAll(/\{\{(\w+)\}\}/g)].map(([, name]) => name);
    for (const name of used.filter((one) => one !== 'authorization')) {
      assert.ok(name !== undefined && collection.variables.has(name), `${file}: ${name}`);
    }
  }
});
