// Tests of redirect URIs: what may be registered (HOSTILE 7), and how answers are put onto them.

import assert from 'node:assert/strict';
import { describe, test } from 'node:test';

import type { Client } from '../../src/oauth/client.ts';
import {
  compileRegistered,
  isRegistered,
  queryNames,
  redirectUriFault,
  withParameters,
} from '../../src/oauth/redirect_uri.ts';
import { anyText, fc } from '../support/property.ts';

describe('redirectUriFault', () => {
  test('lets https, http on loopback and an app’s own scheme be registered', () => {
    for (const uri of [
      'https://partner.example/callback',
      'https://partner.example',
      'https://partner.example:8443/a/b?brand=x&y=z%20',
      'https://partner.example/a~b/.well-known/c',
      'https://xn--e1afmkfd.example/cb',
      'https://203.0.113.7/cb',
      'http://127.0.0.1:8080/cb',
      'http://127.1.2.3/cb',
      'http://[::1]:1234/cb',
      'http://localhost/cb',
      'com.example.app:/callback',
      'com.example.app://callback/x?y=z',
    ]) {
      assert.equal(redirectUriFault(uri), undefined, uri);
    }
  });

  test('says why another one may not', () => {
    const faults: readonly (readonly [words: RegExp, ...uris: string[]])[] = [
      [/scheme "javascript:"/, 'javascript:alert(1)', 'javascript://partner.example/%0aalert(1)'],
      [/scheme "data:"/, 'data:text/html,x'],
      [/scheme "file:"/, 'file:///etc/passwd'],
      [/scheme "ftp:"/, 'ftp://partner.example/cb'],
      [/scheme "app:"/, 'app:/cb'],
      [
        /plain http/,
        'http://partner.example/cb',
        'http://127.0.0.1.evil.example/cb',
        'http://localhost.evil.example/cb',
      ],
      [/wildcard/, 'https://partner.example/*', 'https://*.partner.example/cb'],
      [
        /no URI may hold/,
        'https://partner.example\\@evil.example/cb',
        'https://partner.example/<script>',
        'https://partner.example/{x}',
      ],
      [/fragment/, 'https://partner.example/cb#f', 'https://partner.example/cb#'],
      [
        /credentials/,
        'https://u@partner.example/cb',
        'https://u:p@partner.example/cb',
        'https://:@partner.example/cb',
        'https://@partner.example/cb',
        'http://127.0.0.1@evil.example/cb',
      ],
      [
        /dot segments/,
        'https://partner.example/a/../cb',
        'https://partner.example/./cb',
        'https://partner.example/..',
        'https://partner.example/a/%2e%2E/cb',
        'https://partner.example/a/.%2e/cb',
      ],
      [
        /plain form/,
        'http://2130706433/cb',
        'http://0x7f.1/cb',
        'http://127.1/cb',
        'https://p%61rtner.example/cb',
        'https://[::ffff:7f00:0001]/cb',
      ],
      [/no \/\//, 'https:/partner.example/cb', 'https:partner.example/cb'],
      [/no host/, 'https:///partner.example/cb'],
      [/not a URI/, 'https://', 'https://partner.example:99999/cb'],
      [/lower-case scheme/, 'HTTPS://partner.example/cb'],
      [/absolute/, '//partner.example/cb', '/cb', 'partner.example/cb'],
      [/spaces or characters/, ''],
      [
        /spaces/,
        'https://partner.example/c b',
        'https://partner.example/cb\n',
        'https://partner.example/c\tb',
        ' https://partner.example/cb',
      ],
      [/outside ASCII/, 'https://ｐartner.example/cb', 'https://partner.example/é'],
      [/longer/, `https://partner.example/${'a'.repeat(2000)}`],
    ];
    for (const [words, ...uris] of faults) {
      for (const uri of uris) assert.match(redirectUriFault(uri) ?? 'none', words, uri);
    }
  });

  test('as an insecure one, nothing but plain http to another machine (C-5)', () => {
    assert.equal(redirectUriFault('http://partner.example/cb', true), undefined);
    for (const uri of [
      'javascript:alert(1)',
      'data:text/html;x',
      'file:///etc/passwd',
      'ftp://partner.example/cb',
      'HTTP://partner.example/cb',
      'http://*.partner.example/cb',
      'http://partner.example/cb#f',
      'http://u@partner.example/cb',
      'http://partner.example/a/../cb',
      'https://partner.example/cb',
      'http://127.0.0.1/cb',
      'com.example.app:/cb',
    ]) {
      assert.notEqual(redirectUriFault(uri, true), undefined, uri);
    }
  });

  test('what may be registered is a URI that browsers go to as it is written', () => {
    const segment = fc.oneof(
      fc.string({ unit: fc.constantFrom(...Array.from('ab.~-_%2eE@:*?=/')), maxLength: 12 }),
      fc.constantFrom('.', '..', '%2e', '.%2E', '%2e%2e', '...', ''),
    );
    fc.assert(
      fc.property(fc.array(segment, { maxLength: 4 }), (segments) => {
        const uri = `https://partner.example/${segments.join('/')}`;
        if (redirectUriFault(uri) === undefined) assert.equal(new URL(uri).href, uri);
      }),
      { numRuns: 500 },
    );
  });
});

const wellFormed = anyText();

describe('isRegistered', () => {
  const client = (redirectUris: readonly string[], isPublic?: true): Client =>
    ({ redirectUris, ...(isPublic === true ? { isPublic } : {}) }) as Partial<Client> as Client;
  const loopback = [
    'http://127.0.0.1/cb?a=1',
    'http://[::1]:7000/cb',
    'http://localhost/',
    'com.example.app:/cb',
    'https://a.example/cb',
  ];

  test('RFC 8252 7.3: an app may take any port of its loopback address', () => {
    const app = client(loopback, true);
    for (const sent of [
      'http://127.0.0.1:51004/cb?a=1',
      'http://127.0.0.1:1/cb?a=1',
      'http://[::1]/cb',
      'http://[::1]:65535/cb',
      'http://localhost:8080/',
      'com.example.app:/cb',
    ]) {
      assert.equal(isRegistered(sent, app), true, sent);
    }
  });

  test('HOSTILE 1: what follows the registered text is one parameter, whoever made the text up', () => {
    const isVaried = compileRegistered(['a', 'b']);
    const app = client(
      ['http://127.0.0.1/cb', 'https://a.example/cb', 'com.example.app:/x?q=1'],
      true,
    );
    assert.equal(isVaried('http://127.0.0.1:4000/cb?a=1', app), true);
    assert.equal(isVaried('com.example.app:/x?q=1&b=1', app), true);
    assert.equal(isVaried('http://127.0.0.1:4000/cb?c=1', app), false);
    const ends = fc.array(fc.constantFrom('?', '&', 'a', 'b', '=', '#', '%3D', '1', '/', ';'), {
      maxLength: 8,
    });
    fc.assert(
      fc.property(fc.constantFrom('?', '&'), ends, anyText(), (sign, end, text) => {
        const tail = sign + end.join('');
        const isRight = /^\?[ab]=[ab1]{1,8}$/.test(tail);
        assert.equal(
          isVaried(`https://a.example/cb${tail}`, client(['https://a.example/cb'])),
          isRight,
        );
        assert.equal(isVaried(text, app), false);
      }),
    );
  });

  test('HOSTILE 1: and nothing else of it, and only of an app', () => {
    const app = client(loopback, true);
    for (const sent of [
      'http://127.0.0.1:51004/cb',
      'http://127.0.0.1:51004/cb?a=1#',
      'http://127.0.0.1:51004/CB?a=1',
      'http://127.0.0.1:65536/cb?a=1',
      'http://127.0.0.1:080/cb?a=1',
      'http://127.0.0.1:/cb?a=1',
      'http://127.0.0.1:1@evil.example/cb?a=1',
      'http://127.0.0.1:1\\@evil.example/cb?a=1',
      'http://127.0.0.2:1/cb?a=1',
      'http://LOCALHOST:8080/',
      'http://localhost:8080/\n',
      'https://127.0.0.1:1/cb?a=1',
      'https://a.example:8443/cb',
      'com.example.app:80/cb',
    ]) {
      assert.equal(isRegistered(sent, app), false, sent);
    }
    assert.equal(isRegistered('http://localhost:8080/', client(loopback)), false);
    assert.equal(isRegistered('http://localhost/', client(loopback)), true);
  });
});

describe('HOSTILE 86: names in the query of a callback', () => {
  test('are found however they are encoded, and after a semicolon too', () => {
    for (const [uri, names] of [
      ['https://a.example/code', []],
      ['https://a.example/?', []],
      ['https://a.example/cb?code', ['code']],
      ['https://a.example/cb?x=1&%63od%65=y', ['x', 'code']],
      ['https://a.example/cb?x=1;state=y', ['x', 'state']],
      ['https://a.example/cb?x=1%3Bstate=y', ['x']],
      ['https://a.example/cb?x=code=1&a?code=2', ['x', 'a?code']],
      ['https://a.example/cb?error+description=1', ['error description']],
      ['https://a.example/cb?%ff=1&&=2', ['\ufffd', '']],
      ['com.example.app:/cb?code=1', ['code']],
    ] as const) {
      assert.deepEqual(queryNames(uri), names, uri);
    }
  });

  test('tell whether a name of an answer comes twice', () => {
    const name = fc.constantFrom('code', 'state', 'error', 'iss', 'x', 'Code', 'code ');
    const escape = (text: string, which: number): string =>
      Array.from(text)
        .map((character, index) =>
          (which >> index) % 2 === 1 || character === ' '
            ? `%${character.charCodeAt(0).toString(16)}`
            : character,
        )
        .join('');
    const pair = fc.tuple(name, fc.nat({ max: 31 })).map(([text, which]) => escape(text, which));
    fc.assert(
      fc.property(fc.array(pair, { maxLength: 4 }), name, (pairs, answer) => {
        const uri = `https://a.example/cb${pairs.length > 0 ? '?' : ''}${pairs.join('=1&')}`;
        assert.equal(redirectUriFault(uri), undefined);
        const { searchParams } = new URL(withParameters(uri, { [answer]: 'y' }));
        assert.equal(queryNames(uri).includes(answer), searchParams.getAll(answer).length > 1);
      }),
    );
  });
});

describe('withParameters', () => {
  test('every value comes back through a URL, beside the query that was there', () => {
    const values = fc.dictionary(wellFormed, wellFormed, { maxKeys: 5 });
    const bases = fc.constantFrom(
      'https://partner.example/cb',
      'https://partner.example/cb?x=1',
      'https://partner.example',
      'com.example.app:/cb',
    );
    fc.assert(
      fc.property(bases, values, (base, parameters) => {
        const made = withParameters(base, parameters);
        const before = base.includes('?') ? [['x', '1']] : [];
        const { searchParams } = new URL(made);
        assert.deepEqual([...searchParams], [...before, ...Object.entries(parameters)]);
        assert.ok(made.startsWith(base));
        // Nothing in it can end the header, start another parameter or a fragment.
        assert.match(made.slice(base.length), /^(?:[?&][\w.!~*'()%-]*=[\w.!~*'()%-]*)*$/);
      }),
    );
  });

  test('leaves out what is undefined and keeps the order', () => {
    const parameters = { code: 'a', state: undefined, iss: 'b' };
    assert.equal(
      withParameters('https://p.example/cb', parameters),
      'https://p.example/cb?code=a&iss=b',
    );
    assert.equal(withParameters('https://p.example/cb', {}), 'https://p.example/cb');
    const kept = withParameters('https://p.example/cb?a=%20&b', { error: 'x y' });
    assert.equal(kept, 'https://p.example/cb?a=%20&b&error=x%20y');
  });
});
