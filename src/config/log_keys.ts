// Owns the keys of the configuration about what is told of requests: `log`, which lines a server writes, in which form,
// and where; the audit stream; and `tracing`, where traces are sent, and of how many requests.

import { existsSync } from 'node:fs';
import { dirname, join } from 'node:path';

import * as v from 'valibot';

import { type FailurePolicy, failurePolicies } from '../audit/stream.ts';
import { positionAt } from '../lib/document.ts';
import { type Fault, FaultsError, errorAt } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { UnreadableFile, readSecretFile } from '../lib/read_file.ts';
import type { YamlNode } from '../lib/yaml/yaml.ts';
import { key } from '../schema/notes.ts';
import { type StoreLocation, storeAt } from '../store/open.ts';
import type { Local } from './rows.ts';

/** Which of the requests get a line, from 0 (none) to 1 (all). */
interface LineShares {
  readonly passed: number;
  readonly refused: number;
}

export interface LogSettings {
  /** `error` leaves out all lines but those of level error. */
  readonly level: 'error' | 'info';
  /** `auto` is human on a terminal, JSON elsewhere. */
  readonly format: 'auto' | 'json' | 'human';
  /** Of token requests, logins and all else but `verify`. */
  readonly requests: LineShares;
  /** Of the questions of gateways: verify and introspection. */
  readonly verify: LineShares;
  /** Standard error if left out. */
  readonly file?: string;
}

const allLines: LineShares = { passed: 1, refused: 1 };
const namedShares = {
  all: allLines,
  refused: { passed: 0, refused: 1 },
  none: { passed: 0, refused: 0 },
} as const satisfies Readonly<Record<string, LineShares>>;

/** Gateways ask at each request to the API, and have logs of their own. */
export const usualLog: LogSettings = {
  level: 'info',
  format: 'auto',
  requests: allLines,
  verify: namedShares.refused,
};

/** For `dev`, whose only caller wants to see everything. */
export const fullLog: LogSettings = { ...usualLog, verify: allLines };

const shareSchema = v.pipe(
  v.number(),
  v.minValue(0, 'expected a share from 0 to 1'),
  v.maxValue(1, 'expected a share from 0 to 1'),
);

const sharesSchema = v.union([
  v.pipe(
    v.picklist(['all', 'refused', 'none']),
    v.transform((name): LineShares => namedShares[name]),
  ),
  v.strictObject({
    passed: key(v.optional(shareSchema, 1), {
      text: 'The share of the requests that pass, from 0 to 1.',
      example: '0.01',
    }),
    refused: key(v.optional(shareSchema, 1), {
      text: 'The share of the requests that are refused, from 0 to 1.',
      example: '1',
    }),
  }),
]);

export const logSchema = v.strictObject({
  level: key(v.optional(v.picklist(['error', 'info']), usualLog.level), {
    text: 'error leaves out every line but those of this level.',
    example: 'error',
  }),
  format: key(v.optional(v.picklist(['auto', 'json', 'human']), usualLog.format), {
    text: 'json writes each line as JSON, human as people read it. auto is human on a terminal, else json.',
    example: 'json',
  }),
  requests: key(v.optional(sharesSchema, 'all'), {
    text: 'Which requests and logins get a line: all, refused, none, or shares of both.',
    example: '{ passed: 0.01, refused: 1 }',
  }),
  verify: key(v.optional(sharesSchema, 'refused'), {
    text: 'Which questions of gateways get a line, in the same words. There is one question for each request to the API.',
    example: 'none',
  }),
  file: key(v.exactOptional(v.string()), {
    text: 'The file to which the log is written. It is opened anew at SIGWINCH, for logrotate.',
    example: './logs/jetway.log',
    otherwise: 'standard error',
  }),
});

export function logSettings(
  log: v.InferOutput<typeof logSchema> | undefined,
  local: Local,
): LogSettings {
  if (log === undefined) return usualLog;
  return present({ ...log, file: local(log.file) });
}

/** A server makes the file, not its folder: whose it is to be is for operators to say. */
export function logFaults({ file }: LogSettings, document: YamlNode): readonly Fault[] {
  if (file === undefined || existsSync(dirname(file))) return [];
  const path = ['log', 'file'];
  return [
    errorAt(positionAt(document, path), path, 'the folder of the file does not exist: make it'),
  ];
}

export interface AuditSettings {
  readonly file: string;
  /** What becomes of requests and commands that cannot be told of. */
  readonly onFailure: FailurePolicy;
  /** Whether refused questions of gateways are told. */
  readonly tellsVerification: boolean;
}

export const auditSchema = v.union([
  v.literal('off'),
  v.strictObject({
    file: key(v.exactOptional(v.string()), {
      text: 'The file of the stream.',
      example: './data/audit.jsonl',
      otherwise: 'audit.jsonl beside a store of one file, else beside this file',
    }),
    on_failure: key(v.optional(v.picklist(failurePolicies), 'refuse'), {
      text: 'What becomes of a request or command whose line cannot be written, because the disk is full or does not answer. refuse: it is refused. drop: it is answered, and counted.',
      example: 'refuse',
    }),
    verification: key(v.optional(v.boolean(), false), {
      text: 'Whether a refused question of a gateway has a line, too.',
      example: 'false',
    }),
  }),
]);

/**
 * Left out, the stream is a file beside the store, or beside the configuration where the store is on
 * other machines: each machine has a stream of its own. A store in memory has none: the key of its marks
 * would be gone with the process.
 */
export function auditSettings(
  given: v.InferOutput<typeof auditSchema> | undefined,
  store: StoreLocation,
  local: Local,
): AuditSettings | undefined {
  const { keyFolder, masterKey } = storeAt(store);
  if (given === 'off' || masterKey === 'fleeting') return undefined;
  const usual = 'audit.jsonl';
  const { file, on_failure: onFailure = 'refuse', verification = false } = given ?? {};
  return {
    file:
      file === undefined && keyFolder !== undefined ? join(keyFolder, usual) : local(file ?? usual),
    onFailure,
    tellsVerification: verification,
  };
}

export interface TracingSettings {
  /** Of a collector that takes OTLP over HTTP. */
  readonly endpoint: string;
  /** Of the requests that bring no trace of their own, from 0 to 1. */
  readonly sample: number;
  /** A file of `Name: value` lines, which hold the credentials for the collector. */
  readonly headersFile?: string;
}

const endpointSchema = v.pipe(
  v.string(),
  v.check(
    (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/[@?#]/.test(text),
    'expected an http or https address such as http://127.0.0.1:4318/v1/traces',
  ),
);

export const tracingSchema = v.strictObject({
  endpoint: key(endpointSchema, {
    text: 'The address of the collector.',
    example: 'http://127.0.0.1:4318/v1/traces',
  }),
  sample: key(v.optional(shareSchema, 1), {
    text: 'The share of requests that are traced, from 0 to 1. If a traceparent comes with the request, its flag decides instead, but only from trusted_proxies and at gateway.',
    example: '0.1',
  }),
  headers_file: key(v.exactOptional(v.string()), {
    text: 'A file of lines such as Authorization: Bearer ..., which are sent to the collector. Its owner alone may read it.',
    example: './data/tracing.headers',
    otherwise: 'no further headers are sent',
  }),
});

export function tracingSettings(
  { endpoint, sample, headers_file: file }: v.InferOutput<typeof tracingSchema>,
  local: Local,
): TracingSettings {
  return present({ endpoint, sample, headersFile: local(file) });
}

const headerForm =
  /^([!#$%&'*+.^_`|~0-9A-Za-z-]+):[ \t]*([\x21-\x7E](?:[\x20-\x7E]*[\x21-\x7E])?)$/;

/**
 * The headers of the file, which nobody but its owner may read.
 * @throws FaultsError at the key that names the file
 */
export function readTracingHeaders(
  { headersFile: path }: TracingSettings,
  document: YamlNode,
): Readonly<Record<string, string>> {
  if (path === undefined) return {};
  const complain = (message: string): FaultsError => {
    const at = ['tracing', 'headers_file'];
    return new FaultsError([errorAt(positionAt(document, at), at, `${path} ${message}`)]);
  };
  try {
    const lines = readSecretFile(path, 16 * 1024).split(/\r?\n/);
    const headers: Record<string, string> = {};
    for (const [index, line] of lines.entries()) {
      if (line.trim() === '') continue;
      const [, name, value = ''] = headerForm.exec(line.trim()) ?? [];
      if (name === undefined) {
        throw complain(`has no header in line ${index + 1}: expected Name: value`);
      }
      headers[name] = value;
    }
    return headers;
  } catch (error) {
    throw error instanceof UnreadableFile ? complain(error.message) : error;
  }
}
