// Tests of the forms of headers: media ranges that let JSON through, chains of addresses (P-6).

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { formatTest } from '../../../src/programme/requests/input_formats.ts';

test('P-6: an Accept header passes unless it excludes JSON', () => {
  const accepts = formatTest('accepts_json');
  for (const good of [
    'application/json',
    'Application/JSON',
    '*/*',
    'application/*',
    'text/html, application/json',
    'text/html,*/*;q=0.1',
    'application/json;q=0.001',
    'application/json; charset=utf-8',
    'text/html;q=0, application/json;q=1',
    'text/plain, */*; q=0.000001, application/json',
    '*/*;q=0, application/json',
    'application/*;q=0,application/json;q=0.5',
  ]) {
    assert.equal(accepts(good), true, good);
  }
  for (const bad of [
    'text/html',
    'application/xml, text/*',
    'application/jsonx',
    'application/json;q=0',
    'application/json;q=0.0',
    'application/json ; Q=0.000',
    '*/*;q=0',
    'application/*;q=0, */*',
    '*/*, application/json;q=0',
    'application/json;q=0, */*;q=1',
    'json',
    '*',
    ',',
  ]) {
    assert.equal(accepts(bad), false, bad);
  }
});

test('P-6 HOSTILE 22: X-Forwarded-For is a chain of addresses and nothing else', () => {
  const fits = formatTest('ip_list');
  for (const good of [
    '203.0.113.7',
    '203.0.113.7, 198.51.100.1,::1',
    '2001:db8::1',
    '::ffff:203.0.113.7',
    ' 203.0.113.7 ',
  ]) {
    assert.equal(fits(good), true, good);
  }
  for (const bad of [
    '',
    ',',
    '1.2.3.4,',
    '1.2.3.4,x',
    '1.2.3.4 5.6.7.8',
    'fe80::1%eth0',
    'localhost',
    'unknown',
    '_hidden',
    '1.2.3',
    '1.2.3.256',
    '01.2.3.4',
    '1.2.3.4:80',
    '[2001:db8::1]',
    '2001:db8:::1',
    '0x7f.1.1.1',
    '2130706433',
  ]) {
    assert.equal(fits(bad), false, JSON.stringify(bad));
  }
});

test('without a format everything fits', () => {
  assert.equal(formatTest(undefined)('\u0000 anything'), true);
});
