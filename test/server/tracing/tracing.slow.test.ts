// Traces as a collector gets them: read by OpenTelemetry's own definition of OTLP.

import assert from 'node:assert/strict';
import { chmodSync, writeFileSync } from 'node:fs';
import { createServer, type IncomingHttpHeaders } from 'node:http';
import { createRequire } from 'node:module';
import type { AddressInfo } from 'node:net';
import { join } from 'node:path';
import { test, type TestContext } from 'node:test';

import { configText, jetway, programmeText, workFolder } from '../../cli/command.ts';
import { type ServerProcess, startServer } from '../../cli/server.ts';
import { eventLines, type LogLine, logLines } from '../../support/log_lines.ts';
import { until } from '../../support/until.ts';
import { ask } from '../../support/wire.ts';

interface Span {
  readonly traceId: string;
  readonly spanId: string;
  readonly parentSpanId?: string;
  readonly name: string;
  readonly kind: string;
  readonly startTimeUnixNano: string;
  readonly endTimeUnixNano: string;
  readonly attributes: readonly { readonly key: string; readonly value: object }[];
}

interface ExportRequest {
  readonly resourceSpans: readonly {
    readonly resource: Pick<Span, 'attributes'>;
    readonly scopeSpans: readonly { readonly spans: readonly Span[] }[];
  }[];
}

interface MessageType {
  readonly verify: (message: object) => string | null;
  readonly fromObject: (message: object) => object;
  readonly encode: (message: object) => { readonly finish: () => Uint8Array };
  readonly decode: (bytes: Uint8Array) => object;
  readonly toObject: (message: object, options: object) => ExportRequest;
}

const require = createRequire(import.meta.url);
const { opentelemetry } =
  require('@opentelemetry/otlp-transformer/build/src/generated/root.js') as {
    readonly opentelemetry: {
      readonly proto: {
        readonly collector: {
          readonly trace: { readonly v1: { readonly ExportTraceServiceRequest: MessageType } };
        };
      };
    };
  };
const { ExportTraceServiceRequest: requestType } = opentelemetry.proto.collector.trace.v1;

/** Identifiers are hexadecimal in OTLP's JSON, where protobuf's own JSON has base64. */
function parse(text: string): ExportRequest {
  const known = JSON.parse(text, (key, value: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(key)
      ? Buffer.from(String(value), 'hex').toString('base64')
      : value,
  ) as object;
  const message = requestType.decode(requestType.encode(requestType.fromObject(known)).finish());
  assert.equal(requestType.verify(message), null);
  const read = requestType.toObject(message, { longs: String, enums: String, bytes: String });
  const hex = (id: string): string => Buffer.from(id, 'base64').toString('hex');
  return JSON.parse(JSON.stringify(read), (key, value: unknown) =>
    /^(?:traceId|spanId|parentSpanId)$/.test(key) ? hex(String(value)) : value,
  ) as ExportRequest;
}

interface Collector {
  readonly url: string;
  readonly headers: IncomingHttpHeaders[];
  readonly requests: ExportRequest[];
  /** Answers with this status from now on. */
  readonly answer: (status: number) => void;
  readonly spans: () => readonly Span[];
}

async function openCollector(t: TestContext): Promise<Collector> {
  const [headers, requests]: [IncomingHttpHeaders[], ExportRequest[]] = [[], []];
  let status = 200;
  const server = createServer((incoming, outgoing) => {
    const chunks: Buffer[] = [];
    incoming.on('data', (chunk: Buffer) => chunks.push(chunk));
    incoming.on('end', () => {
      assert.equal(`${incoming.method} ${incoming.url}`, 'POST /v1/traces');
      headers.push(incoming.headers);
      if (status === 200) requests.push(parse(Buffer.concat(chunks).toString()));
      outgoing.writeHead(status, { 'Content-Type': 'application/json' }).end('{}');
    });
  }).listen(0, '127.0.0.1');
  t.after(() => server.close());
  await until(() => server.listening);
  return {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    headers,
    requests,
    answer: (next) => {
      status = next;
    },
    spans: () =>
      requests.flatMap(({ resourceSpans }) =>
        resourceSpans.flatMap(({ scopeSpans }) => scopeSpans.flatMap(({ spans }) => spans)),
      ),
  };
}

async function start(
  t: TestContext,
  tracing: string,
): Promise<{ readonly folder: string; readonly server: ServerProcess }> {
  const folder = workFolder(t, {
    'config.yaml': `${configText}${tracing}`,
    'programmes/club.yaml': programmeText('Club'),
    'tracing.headers': 'Authorization: Bearer of-the-collector\nX-Scope: all\n',
  });
  chmodSync(join(folder, 'tracing.headers'), 0o600);
  return { folder, server: await startServer(t, folder) };
}

const traceId = '0af7651916cd43dd8448eb211c80319c';
const parentId = 'b7ad6b7169203331';
const sampled = { traceparent: `00-${traceId}-${parentId}-01` };
const proxied = 'trusted_proxies: [127.0.0.0/8]\n';
const unsampled = { traceparent: `00-${traceId}-${parentId}-00` };

test('a collector gets the spans of sampled requests, which continue the trace of who calls', async (t) => {
  const collector = await openCollector(t);
  const { server } = await start(
    t,
    `${proxied}tracing: { endpoint: "${collector.url}", sample: 0, headers_file: ./tracing.headers }\n`,
  );
  const begun = Date.now();
  await ask(server.url, '/club/verify/none?q=private', { headers: unsampled });
  await ask(server.url, '/club/verify/none?q=private');
  await ask(server.url, '/club/verify/none?q=private', { headers: sampled });
  await until(() => collector.spans().length > 0);
  const [span, ...others] = collector.spans();
  assert.ok(span !== undefined && others.length === 0);
  const { spanId, startTimeUnixNano, endTimeUnixNano, attributes, ...facts } = span;
  assert.deepEqual(facts, {
    traceId,
    parentSpanId: parentId,
    name: 'GET /club/verify/*',
    kind: 'SPAN_KIND_SERVER',
  });
  assert.match(spanId, /^[0-9a-f]{16}$/);
  const [first, last] = [startTimeUnixNano, endTimeUnixNano].map((nano) => Number(nano) / 1e6);
  assert.ok(first !== undefined && last !== undefined && last > first);
  assert.ok(first >= begun - 1000 && last <= Date.now() + 1000, `${first} ${last} ${begun}`);
  const told = Object.fromEntries(
    attributes.map(({ key, value }) => [key, Object.values(value)[0] as unknown]),
  );
  assert.match(String(told['jetway.request_id']), /^[0-9A-Z]{12}$/);
  delete told['jetway.request_id'];
  assert.deepEqual(told, {
    'http.request.method': 'GET',
    'http.route': '/club/verify/*',
    'http.response.status_code': '400',
    'error.type': 'unknown_parameter',
    'jetway.programme': 'club',
    'jetway.endpoint': 'verification',
  });
  const { authorization, 'x-scope': scope, 'content-type': type } = collector.headers[0] ?? {};
  assert.deepEqual(
    [authorization, scope, type],
    ['Bearer of-the-collector', 'all', 'application/json'],
  );
  const resource = collector.requests[0]?.resourceSpans[0]?.resource.attributes ?? [];
  assert.deepEqual(
    resource.map(({ key }) => key),
    ['service.name', 'service.version', 'deployment.environment.name'],
  );
  assert.equal(await server.end('SIGTERM'), 0);
});

/** Parents of the spans of four requests: sampled and unsampled ones at each listener, then one without a trace. */
async function parentsOf(t: TestContext, keys: string, sample: 0 | 1): Promise<readonly string[]> {
  const collector = await openCollector(t);
  const { server } = await start(
    t,
    `gateway: 127.0.0.1:0\n${keys}tracing: { endpoint: "${collector.url}", sample: ${sample} }\n`,
  );
  for (const [listener, base, target] of [
    ['main', server.url, '/nowhere'],
    ['gateway', server.gateway, '/club/verify/none'],
  ] as const) {
    for (const [flag, number] of [
      ['sampled', '01'],
      ['unsampled', '00'],
    ] as const) {
      const parent = Buffer.from(`${listener[0]}-${flag}`.slice(0, 8).padEnd(8)).toString('hex');
      const headers = { traceparent: `00-${traceId}-${parent}-${number}` };
      await ask(base, target, { headers });
    }
  }
  await ask(server.url, '/nowhere');
  assert.equal(await server.end('SIGTERM'), 0);
  return collector.spans().map(({ traceId: id, parentSpanId: parent = '' }) => {
    assert.equal(id === traceId, parent !== '');
    return Buffer.from(parent, 'hex').toString().trim();
  });
}

test('HOSTILE 85: a caller who is trusted decides whether its trace is sampled; of strangers sample decides', async (t) => {
  const cases = [
    ['', 0, ['g-sample']],
    ['', 1, ['m-sample', 'm-unsamp', 'g-sample', '']],
    ['trusted_proxies: [10.0.0.0/8]\n', 0, ['g-sample']],
    [proxied, 0, ['m-sample', 'g-sample']],
    [proxied, 1, ['m-sample', 'g-sample', '']],
  ] as const;
  for (const [keys, sample, parents] of cases) {
    assert.deepEqual(await parentsOf(t, keys, sample), parents, `${keys} ${sample}`);
  }
});

test('a collector that is down delays nobody; what waited is sent later, and the end of the server sends the rest', async (t) => {
  const collector = await openCollector(t);
  const { server, folder } = await start(t, `tracing: { endpoint: "${collector.url}" }\n`);
  collector.answer(503);
  await ask(server.url, '/club/verify/none');
  const events = (): readonly string[] =>
    eventLines(server.printed().stderr).map((line) => (JSON.parse(line) as LogLine).event);
  await until(() => events().includes('traces_not_sent'));
  await ask(server.url, '/club/verify/member');
  collector.answer(200);
  await until(() => collector.spans().length === 2);
  await until(() => events().includes('traces_sent'));
  // Each request has a trace of its own, which the log names too.
  const logged = logLines(server.printed().stderr).flatMap(({ trace_id: id }) => id ?? []);
  const spans = collector.spans();
  assert.deepEqual(new Set(logged), new Set(spans.map((span) => span.traceId)));
  assert.equal(new Set(logged).size, 2);
  await ask(server.url, '/nowhere');
  // Taken out by a reload: what waits is sent first.
  writeFileSync(join(folder, 'config.yaml'), configText);
  const { stdout } = await jetway(folder, ['reload']);
  assert.match(stdout, /^tracing: taken up$/m);
  assert.deepEqual(
    collector.spans().map(({ name }) => name),
    ['GET /club/verify/*', 'GET /club/verify/*', 'GET'],
  );
  await ask(server.url, '/nowhere');
  assert.equal(await server.end('SIGTERM'), 0);
  assert.equal(collector.spans().length, 3);
});

test('a file of headers that others may read, or that holds none, is refused at its key', async (t) => {
  const folder = workFolder(t, {
    'config.yaml': `${configText}tracing: { endpoint: "http://127.0.0.1:1", headers_file: ./tracing.headers }\n`,
    'programmes/club.yaml': programmeText('Club'),
    'tracing.headers': 'Authorization: Bearer of-the-collector\n',
  });
  const file = join(folder, 'tracing.headers');
  chmodSync(file, 0o644);
  for (const [words, text] of [
    ['can be read by others', undefined],
    ['has no header in line 2: expected Name: value', 'A: b\nof-the-collector\n'],
  ] as const) {
    if (text !== undefined) {
      writeFileSync(file, text);
      chmodSync(file, 0o600);
    }
    for (const verb of ['check', 'serve']) {
      const { code, stdout, stderr } = await jetway(folder, [verb]);
      assert.equal(code, 3);
      assert.match(stdout + stderr, new RegExp(`config\\.yaml:\\d+:\\d+: error: .*${words}`));
      assert.doesNotMatch(stdout + stderr, /of-the-collector/);
    }
  }
});
