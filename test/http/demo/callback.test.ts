// Owns the promise of the demo's callback page: it shows the code, by whichever way the dialect sends it.

import assert from 'node:assert/strict';
import { test } from 'node:test';
import { createContext, runInContext } from 'node:vm';

import { makeGuide } from '../../../src/contract/partner/guide.ts';
import { mountDemo } from '../../../src/http/demo/pages.ts';
import type { App, Endpoint } from '../../../src/http/endpoints.ts';
import { programmeOf } from '../../support/definition.ts';

const base = 'http://127.0.0.1:8080';
const callback = '/demo/executive-club/callback';

function mounted(over: string): Pick<Endpoint, 'answer'> {
  const endpoints = new Map<string, Endpoint>();
  const app = { endpoint: (path: string, endpoint: Endpoint) => endpoints.set(path, endpoint) };
  const programme = programmeOf(over);
  const { client } = makeGuide(programme, base).by;
  const by = { client, secret: 'a secret', apiKey: 'a key' };
  const member = { username: 'demo', password: 'a password' };
  const redirectUri = base + callback;
  mountDemo(app as unknown as App, [
    { programme, dialect: 'a variant', by, redirectUri, member, base },
  ]);
  const endpoint = endpoints.get(callback);
  assert.ok(endpoint);
  return endpoint;
}

async function pageAt({ answer }: Pick<Endpoint, 'answer'>, query: string): Promise<string> {
  const reply = await answer({
    method: 'GET',
    path: callback,
    query,
    rawHeaders: ['host', new URL(base).host],
    body: new Uint8Array(),
  } as unknown as Parameters<Endpoint['answer']>[0]);
  assert.ok('body' in reply && typeof reply.body === 'string');
  return reply.body;
}

/** Where the page's script sends the browser that opened the page with this fragment. */
function sentOn(page: string, hash: string): readonly string[] {
  const [, script = ''] = /<script>([^]*?)<\/script>/.exec(page) ?? [];
  const places: string[] = [];
  const document = {
    querySelector: (name: string) => (page.includes(`<span ${name.slice(1, -1)}>`) ? {} : null),
    querySelectorAll: () => [],
  };
  const location = { pathname: callback, hash, replace: (to: string) => places.push(to) };
  runInContext(script, createContext({ document, location }));
  return places;
}

test('a code in the fragment is shown, with the button that exchanges it', async () => {
  const endpoint = mounted('authorize: { answer: { mode: fragment } }');
  const first = await pageAt(endpoint, '');
  assert.match(first, /behind the # of this page&rsquo;s address/);
  assert.deepEqual(sentOn(first, ''), []);
  assert.deepEqual(sentOn(first, '#code=the-code&state=demo'), [
    `${callback}?code=the-code&state=demo`,
  ]);
  const second = await pageAt(endpoint, 'code=the-code&state=demo');
  assert.match(second, /<dt>code<\/dt>\s*<dd><code>the-code<\/code>/);
  assert.match(second, /name="code" value="the-code"[^]*Exchange the code for tokens/);
  assert.deepEqual(sentOn(second, '#code=the-code'), []);
});

test('a failure in the query is shown as it came, and nothing is looked for elsewhere', async () => {
  const page = await pageAt(mounted('{}'), 'error=access_denied');
  assert.match(page, /The redirect brought no code:/);
  assert.match(page, /<dt>error<\/dt>\s*<dd><code>access_denied<\/code>/);
  assert.deepEqual(sentOn(page, '#code=the-code'), []);
});
