// Owns the promise that no JavaScript is shown for a request that `fetch` cannot make.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { javascriptProgram } from '../../../../src/programme/partner/snippets/javascript.ts';

test('RFC 8705: a request that shows a certificate has no program', () => {
  const request = { method: 'POST', path: '/token', query: [], headers: [], form: [] } as const;
  const base = 'https://club.example';
  assert.match(javascriptProgram(base, request) ?? '', /await fetch\("https:\/\/club\.example/);
  assert.equal(javascriptProgram(base, { ...request, certificate: true }), undefined);
});
