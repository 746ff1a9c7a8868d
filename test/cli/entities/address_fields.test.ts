// Which origins may be registered for pages (HOSTILE 11).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { originFault } from '../../../src/cli/entities/address_fields.ts';

test('an origin is https, or http on loopback, as browsers write it', () => {
  for (const origin of [
    'https://app.example',
    'https://app.example:8443',
    'https://xn--strae-oqa.example',
    'http://localhost:5173',
    'http://127.0.0.1',
    'http://[::1]:3000',
  ]) {
    assert.equal(originFault(origin), undefined, origin);
  }
});

test('HOSTILE 11: no other text is taken, and the reason says what is', () => {
  const none =
    'is no origin of pages: expected https://, a host without wildcards, and its port if it is not 443';
  const written = (origin: string): string => `is not written as browsers send it: ${origin}`;
  for (const [text, fault] of [
    ['null', none],
    ['*', none],
    ['', none],
    ['https://*.app.example', none],
    ['app.example', none],
    ['capacitor://localhost', none],
    ['file://', none],
    ['https://', none],
    ['https://app.example/', written('https://app.example')],
    ['https://app.example/page', written('https://app.example')],
    ['https://App.example', written('https://app.example')],
    ['https://app.example:443', written('https://app.example')],
    ['https://u@app.example', written('https://app.example')],
    ['https://straße.example', written('https://xn--strae-oqa.example')],
    [' https://app.example', written('https://app.example')],
    ['http://app.example', 'is plain http to another machine: use https'],
    [`https://${'a.'.repeat(150)}example`, 'is longer than 300 characters'],
  ] as const) {
    assert.equal(originFault(text), fault, text);
  }
});
