// Owns the key `log` of the configuration: which lines a server writes, in which form, and where.

import { existsSync } from 'node:fs';
import { dirname } from 'node:path';

import * as v from 'valibot';

import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import type { YamlNode } from '../lib/yaml/yaml.ts';
import { key } from '../schema/notes.ts';
import type { Local } from './rows.ts';

/** Which of the requests get a line, from 0 (none) to 1 (all). */
export interface LineShares {
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

export const shareSchema = v.pipe(
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
