// Owns the key `tracing` of the configuration: where traces are sent, and of how many requests.

import * as v from 'valibot';

import { positionAt } from '../lib/document.ts';
import { errorAt, FaultsError } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { readSecretFile, UnreadableFile } from '../lib/read_file.ts';
import type { YamlNode } from '../lib/yaml/yaml.ts';
import { shareSchema } from './log_keys.ts';

export interface TracingSettings {
  /** Of a collector that takes OTLP over HTTP. */
  readonly endpoint: string;
  /** Of the requests that bring no trace of their own, from 0 to 1. */
  readonly sample: number;
  /** A file of `Name: value` lines, which hold the credentials for the collector. */
  readonly headersFile?: string;
}

export const tracingSchema = v.strictObject({
  endpoint: v.pipe(
    v.string(),
    v.check(
      (text) => /^https?:$/.test(URL.parse(text)?.protocol ?? '') && !/[@?#]/.test(text),
      'expected an http or https address such as http://127.0.0.1:4318/v1/traces',
    ),
  ),
  sample: v.optional(shareSchema, 1),
  headers_file: v.exactOptional(v.string()),
});

/** @param local makes a path relative to the folder of the configuration absolute */
export function tracingSettings(
  { endpoint, sample, headers_file: file }: v.InferOutput<typeof tracingSchema>,
  local: (name: string) => string,
): TracingSettings {
  return present({ endpoint, sample, headersFile: file === undefined ? undefined : local(file) });
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
    const key = ['tracing', 'headers_file'];
    return new FaultsError([errorAt(positionAt(document, key), key, `${path} ${message}`)]);
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
