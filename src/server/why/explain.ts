// Owns finding the lines of YAML that a refusal rests on: the rule, and the words of the answer.

import { resolve } from 'node:path';

import { keyPositionAt, nodeAt } from '../../lib/document.ts';
import type { Path, Position } from '../../lib/fault.ts';
import { present } from '../../lib/present.ts';
import { atEndpoint } from '../../oauth/cause.ts';
import type { ProofAdvice } from '../../oauth/proofs/key_faults.ts';
import { proofFaults } from '../../oauth/proofs/proof_faults.ts';
import { steps } from '../../oauth/request_record.ts';
import { effectiveDocument } from '../../rules/effective_document.ts';
import type { LoadedProgramme } from '../../rules/load.ts';
import type { Refusal } from '../requests/refusal.ts';

/** A key of a programme, and where it is written. */
export interface RuleLine {
  /** `FILE:LINE:COLUMN`; of a built-in variant `variants/NAME.yaml:LINE:COLUMN`. */
  readonly at: string;
  readonly key: string;
  /** As written; absent where it is no single value. */
  readonly value?: string;
  /** No file has the key: `at` is the nearest key above it. */
  readonly is_default: boolean;
}

export interface Explanation extends Refusal {
  readonly step_does: string;
  readonly rule_line?: RuleLine;
  /** What words the answer. */
  readonly answer_line?: RuleLine;
  /** The dialect's error code of the answer. */
  readonly error?: string;
  /** Of the fault: what was probably done, and what to do instead. */
  readonly likely?: string;
  readonly remedy?: string;
  readonly notes: readonly string[];
}

/** @param file of the programme, as an absolute path; its positions name it otherwise */
export function explain(
  refusal: Refusal,
  loaded: LoadedProgramme | undefined,
  notes: readonly string[] = [],
  file?: string,
): Explanation {
  const { [refusal.step]: step_does = '' } = steps;
  // A log of another version may name a fault that is not known here.
  const known: Readonly<Record<string, ProofAdvice>> = proofFaults;
  const { likely, remedy } = known[refusal.fault ?? ''] ?? {};
  const told = { ...refusal, ...present({ likely, remedy }), step_does, notes };
  if (loaded === undefined) return told;
  const effective = effectiveDocument(loaded);
  const lineOf = (path: Path): RuleLine => ruleLine(loaded, effective, path, file);
  const rule = rulePath(refusal, effective);
  const answer = answerPath(refusal, loaded, effective);
  const error = errorOf(refusal, effective);
  return {
    ...told,
    ...(rule && { rule_line: lineOf(rule) }),
    ...(answer && { answer_line: lineOf(answer) }),
    ...(error === undefined ? {} : { error }),
  };
}

function ruleLine(
  { document }: LoadedProgramme,
  effective: unknown,
  path: Path,
  file: string | undefined,
): RuleLine {
  let depth = path.length;
  while (depth > 0 && nodeAt(document, path.slice(0, depth)) === undefined) depth -= 1;
  const value = valueAt(effective, path);
  const at = keyPositionAt(document, path.slice(0, depth));
  const values: readonly unknown[] = Array.isArray(value) ? value : [value];
  const isPlain = values.every((one) => ['string', 'number', 'boolean'].includes(typeof one));
  return {
    at: placeOf(at, file),
    key: path.join('.'),
    ...(isPlain ? { value: values.join(', ') } : {}),
    is_default: depth < path.length,
  };
}

function valueAt(effective: unknown, path: Path): unknown {
  return path.reduce<unknown>(
    (held, step) => (held as Readonly<Record<string, unknown>> | undefined)?.[step],
    effective,
  );
}

/** A value of the effective document as a text; undefined where it has none. */
function textAt(effective: unknown, path: Path): string | undefined {
  const value = valueAt(effective, path);
  return value === undefined || typeof value === 'string' ? value : JSON.stringify(value);
}

/** The members of a map of the effective document. */
function mapAt(effective: unknown, ...path: Path): Readonly<Record<string, unknown>> {
  return (valueAt(effective, path) ?? {}) as Readonly<Record<string, unknown>>;
}

function placeOf({ file, line, column }: Position, own: string | undefined): string {
  const isShipped = file.startsWith('src/variants/');
  const name = isShipped ? file.slice('src/'.length) : (own ?? resolve(file));
  return `${name}:${line}:${column}`;
}

function rulePath(
  { rule, endpoint: kind, path: asked }: Refusal,
  effective: unknown,
): Path | undefined {
  if (rule === undefined) return undefined;
  const [first = '', ...keys] = rule.split('.');
  if (first !== atEndpoint) return [first, ...keys];
  if (kind === 'login_request' || kind === 'login_page') return ['authorize', 'endpoint', ...keys];
  if (kind === 'introspection' || kind === 'revocation' || kind === 'userinfo') return [kind];
  const [, role = ''] = keys;
  // A verification compares headers as the first token endpoint that reads them does.
  const found = Object.entries(mapAt(effective, 'token_endpoints')).filter(([, endpoint]) =>
    kind === 'token'
      ? asked.endsWith(`${textAt(effective, ['base_path'])}${textAt(endpoint, ['path'])}`)
      : role in mapAt(endpoint, 'inputs'),
  );
  // Several may have one path.
  const [name] = found.find(([, endpoint]) => role in mapAt(endpoint, 'inputs')) ?? found[0] ?? [];
  return name === undefined ? undefined : ['token_endpoints', name, ...keys];
}

/** The texts of a login's page, where they are no failure of its request. */
const pageTexts: readonly Path[] = [
  ['login', 'pages'],
  ['login', 'messages'],
];

function answerPath(
  { endpoint: kind, reason, step }: Refusal,
  { document }: LoadedProgramme,
  effective: unknown,
): Path | undefined {
  const isThere = (path: Path): boolean => nodeAt(document, path) !== undefined;
  if (kind !== 'login_request' && kind !== 'login_page') {
    const path = ['errors', 'reasons', reason];
    return valueAt(effective, path) === undefined ? undefined : path;
  }
  if (reason === 'method_not_allowed') return ['login', 'pages', 'wrong_method'];
  if (step === 'arrival') return ['login', 'messages', 'difficulties'];
  const places = [['authorize', 'failures'], ...pageTexts].map((path) => [...path, reason]);
  return places.find(isThere);
}

function errorOf({ endpoint: kind, reason }: Refusal, effective: unknown): string | undefined {
  if (kind === 'login_request' || kind === 'login_page') {
    return textAt(effective, ['authorize', 'failures', reason, 'redirect']);
  }
  return textAt(effective, ['errors', 'reasons', reason, 'error']);
}
