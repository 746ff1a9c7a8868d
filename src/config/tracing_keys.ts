// Owns the key `tracing` of the configuration: where traces are sent, and of how many requests.

import * as v from 'valibot';

import { positionAt } from '../lib/document.ts';
import { errorAt, FaultsError } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
import type { YamlNode } from '../lib/yaml/yaml.ts';
import { key } from '../schema/notes.ts';
import { shareSchema } from './log_keys.ts';
import type { Local } from './rows.ts';

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
