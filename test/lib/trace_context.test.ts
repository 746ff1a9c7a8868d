// W3C Trace Context, level 2: which `traceparent` is taken up, and what is handed on.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import {
  beginTrace,
  namesAlone,
  readTraceparent,
  traceHeaders,
} from '../../src/lib/trace_context.ts';

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';

test('a traceparent is taken up with its flags, of later versions what is known of them', () => {
  const known = { traceId, parentId, isSampled: true, isRandom: false };
  const cases: readonly (readonly [text: string, flags: object])[] = [
    [`00-${traceId}-${parentId}-01`, {}],
    [`00-${traceId}-${parentId}-00`, { isSampled: false }],
    [`00-${traceId}-${parentId}-03`, { isRandom: true }],
    [`00-${traceId}-${parentId}-fc`, { isSampled: false }],
    [`cc-${traceId}-${parentId}-01`, {}],
    [`cc-${traceId}-${parentId}-01-what-the-future-brings`, {}],
  ];
  for (const [text, flags] of cases) {
    assert.deepEqual(readTraceparent(text, undefined), { ...known, ...flags }, text);
  }
});

test('anything else is no traceparent', () => {
  for (const text of [
    '',
    'x',
    `ff-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01-more`,
    `00-${traceId}-${parentId}-01-`,
    `cc-${traceId}-${parentId}-01.more`,
    `00-${traceId}-${parentId}`,
    `00-${traceId}-${parentId}-1`,
    `00-${traceId.toUpperCase()}-${parentId}-01`,
    `00-${'0'.repeat(32)}-${parentId}-01`,
    `00-${traceId}-${'0'.repeat(16)}-01`,
    `00-${traceId}0-${parentId}-01`,
    `00-${traceId}-${parentId}-0g`,
    ` 00-${traceId}-${parentId}-01`,
    `00-${traceId}-${parentId}-01\n`,
    `00-${traceId}-${parentId}-01, 00-${traceId}-${parentId}-01`,
  ]) {
    assert.equal(readTraceparent(text, undefined), undefined, text);
  }
});

test('what is handed on names the caller here, or the caller before where nothing is recorded', () => {
  const trace = readTraceparent(`00-${traceId}-${parentId}-03`, 'vendor=1');
  assert.ok(trace !== undefined);
  const tracestate = 'vendor=1';
  assert.deepEqual(traceHeaders(trace), {
    traceparent: `00-${traceId}-${parentId}-03`,
    tracestate,
  });
  const spanId = '00f067aa0ba902b7';
  assert.deepEqual(traceHeaders(trace, spanId), {
    traceparent: `00-${traceId}-${spanId}-03`,
    tracestate,
  });
  // HOSTILE 85: of a stranger's trace.
  assert.deepEqual(namesAlone(trace), { traceId, parentId, isRandom: false });
  assert.deepEqual(traceHeaders(namesAlone(trace)), {
    traceparent: `00-${traceId}-${parentId}-00`,
  });
  for (const odd of ['x'.repeat(513), 'a=\u007F']) {
    assert.equal(readTraceparent(`00-${traceId}-${parentId}-01`, odd)?.state, undefined);
  }
  const [one, other] = [beginTrace(true), beginTrace(false)];
  assert.match(traceHeaders(one)['traceparent'] ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-03$/);
  assert.match(traceHeaders(other)['traceparent'] ?? '', /^00-[0-9a-f]{32}-[0-9a-f]{16}-02$/);
  assert.notEqual(one.traceId, other.traceId);
  assert.deepEqual(readTraceparent(traceHeaders(one)['traceparent'] ?? '', undefined), {
    traceId: one.traceId,
    parentId: one.spanId,
    isSampled: true,
    isRandom: true,
  });
});
