// Owns the faults of values: what a schema finds, told at the place in the file in words of what was expected, what the
// document has and how to mend it; and complaints across keys.

import * as v from 'valibot';

import { keyPositionAt, positionAt } from '../lib/document.ts';
import {
  type Fault,
  type FaultCode,
  type Path,
  type Position,
  byPosition,
  errorAt,
  quote,
  warningAt,
} from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { didYouMean } from '../lib/suggest.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import {
  type Schema,
  type Shape,
  type Subject,
  type UnknownKey,
  optionsOf,
  prune,
  schemaAt,
  subjectAt,
  subjectOf,
  unwrap,
} from './walk.ts';

type Issue = v.BaseIssue<unknown>;

/** A message, and how to mend the fault. */
interface Words {
  readonly code?: FaultCode;
  readonly message: string;
  readonly hint?: string | undefined;
}

/** What a schema accepts: certain values, kinds of value, or both. */
interface Expected {
  readonly values: readonly unknown[];
  readonly kinds: readonly string[];
}

/** The kinds of value by the types of their schemas. */
const kindWords: Readonly<Record<string, string>> = {
  string: 'text',
  number: 'a number',
  boolean: 'true or false',
  null: 'nothing',
  strict_object: 'a map',
  record: 'a map',
  variant: 'a map',
  array: 'a list',
};

/** What a schema accepts before the checks in its pipe. */
function expectedBy({ type, literal, options = [] }: Shape): Expected {
  if (type === 'literal') return { values: [literal], kinds: [] };
  if (type === 'picklist') return { values: options, kinds: [] };
  if (type !== 'union') return { values: [], kinds: [kindWords[type] ?? 'another value'] };
  const all = (options as readonly Schema[]).map(expectedBy);
  const kinds = new Set(all.flatMap((one) => one.kinds));
  return { values: all.flatMap(({ values }) => values), kinds: [...kinds] };
}

/** `expected text, found the number 123`; undefined stands for a missing value. */
function mismatchWords(expected: Expected, node: YamlNode | undefined): Words {
  const values = expected.values.map(showValue);
  const hint = mismatchHint(expected, node);
  if (expected.kinds.length === 0) {
    const wanted = values.length === 1 ? values[0] : `one of ${shorten(values)}`;
    return { message: `expected ${wanted}; found ${foundAmongValues(node)}`, hint };
  }
  const parts = [...(values.length > 0 ? [shorten(values)] : []), ...expected.kinds];
  const last = parts.length > 1 ? ` or ${parts.pop()}` : '';
  return { message: `expected ${parts.join(', ')}${last}, found ${describe(node)}`, hint };
}

function describe(node: YamlNode | undefined): string {
  if (node === undefined) return 'nothing';
  if (node.kind !== 'scalar') return `a ${node.kind}`;
  if (node.value === null) return 'nothing';
  if (typeof node.value === 'string') return `the text ${quote(node.value)}`;
  return typeof node.value === 'number' ? `the number ${node.value}` : String(node.value);
}

function foundAmongValues(node: YamlNode | undefined): string {
  const text = node?.kind === 'scalar' && typeof node.value === 'string' ? node.value : undefined;
  return text === undefined ? describe(node) : quote(text);
}

function mismatchHint(expected: Expected, node: YamlNode | undefined): string | undefined {
  if (node?.kind !== 'scalar') return undefined;
  const texts = expected.values.filter((value) => typeof value === 'string');
  const { value, source } = node;
  if (value === true && texts.includes('on')) return 'write on';
  if (value === false && texts.includes('off')) return 'write off';
  if (typeof value !== 'string') {
    const wanted = expected.kinds.includes('text') || texts.includes(source ?? '');
    if (!wanted || source === undefined || source === '') return undefined;
    const read = typeof value === 'boolean' ? 'true or false, not as text' : describe(node);
    return `${source} is read as ${read}; put it in quotes: ${quote(source)}`;
  }
  if (expected.kinds.includes('a number') && source === undefined && /^-?\d+$/.test(value)) {
    return `write it without quotes: ${value}`;
  }
  if (expected.kinds.includes('true or false')) {
    if (/^(yes|on|true)$/i.test(value)) return 'write true';
    if (/^(no|off|false)$/i.test(value)) return 'write false';
  }
  if (/^(?:yes|true)$/i.test(value) && texts.includes('on')) return 'write on';
  if (/^(?:no|false|none)$/i.test(value) && texts.includes('off')) return 'write off';
  return didYouMean(value, texts);
}

/** `unknown key "redirct_uri"`, with the most similar key, or all possible keys if they are few. */
export function unknownKeyWords(
  key: string,
  open: readonly string[],
  allowed: readonly string[],
): Words {
  const list = allowed.join(', ');
  const all = allowed.length > 0 && list.length <= 120 ? `allowed: ${list}` : undefined;
  const hint = didYouMean(key, open) ?? all;
  return { code: 'unknown_key', message: `unknown key ${quote(key)}`, hint };
}

function showValue(value: unknown): string {
  return typeof value === 'string' && !/^[\w.:/+-]+$/.test(value) ? quote(value) : String(value);
}

function shorten(values: readonly string[]): string {
  const shown: string[] = [];
  for (const value of values) {
    if ([...shown, value].join(', ').length > 160) break;
    shown.push(value);
  }
  const rest = values.length - shown.length;
  return rest === 0 ? shown.join(', ') : `${shown.join(', ')} and ${rest} more`;
}

/** What a validation without an author's message expects; `%` stands for its requirement. */
const validations: Readonly<Record<string, string>> = {
  min_value: '% or more',
  max_value: '% or less',
  integer: 'a whole number',
};

function validationWords(issue: Issue, node: YamlNode | undefined): string {
  const template = validations[issue.type];
  if (template === undefined) return `this is not valid (${issue.type})`;
  const expected = template.replace('%', () => String(issue.requirement));
  return `expected ${expected}, found ${describe(node)}`;
}

/** An input has a name in files, in snake_case, and another on the wire. */
export function snakeCaseWords(name: string): string {
  const words = name.match(/[A-Z]?[a-z0-9]+|[A-Z]+(?![a-z])/g) ?? [];
  const role = words.join('_').toLowerCase();
  const expected = 'expected a name in snake_case';
  if (!/^[a-z][a-z0-9_]{0,49}$/.test(role) || !/^[A-Za-z][\w.-]*$/.test(name)) return expected;
  return `${expected}, and the name on the wire by its key name: ${role}: { name: ${name} }`;
}

/** The key at fault, the message, and how to mend it. */
export type Complaint = readonly [path: Path, message: string, hint?: string];

export function* wrong(
  ...rows: readonly (readonly [isWrong: boolean, ...Complaint])[]
): Iterable<Complaint> {
  for (const [isWrong, ...complaint] of rows) if (isWrong) yield complaint;
}

/** Turns a complaint into an error at its key's position in the file. */
export function toError(document: YamlNode, [path, ...words]: Complaint): Fault {
  return errorAt(positionAt(document, path), path, ...words);
}

/** Turns a complaint into a warning of that name. */
export function toWarning(name: string, document: YamlNode, [path, ...words]: Complaint): Fault {
  return warningAt(name, positionAt(document, path), path, ...words);
}

interface Validation<Output> {
  /** Present exactly when there are no faults. */
  readonly output?: Output;
  readonly faults: readonly Fault[];
}

/**
 * Validates a document. Messages that the schema's author wrote are used as they are; this file
 * words all others. Faults come in reading order.
 */
export function validate<S extends Schema>(
  schema: S,
  root: YamlNode,
): Validation<v.InferOutput<S>> {
  const { output, findings } = explain(schema, subjectOf(root));
  if (findings.length === 0) return { output, faults: [] };
  const faults = new Map<string, Fault>();
  for (const { path, at, words } of findings) {
    const { code, message, hint } = words;
    const fault = { ...errorAt(at, path, message, hint), ...present({ code }) };
    faults.set(JSON.stringify([at, message]), fault);
  }
  return { faults: [...faults.values()].toSorted(byPosition) };
}

/** A fault before its path is complete: the path leads from the explained node. */
interface Finding {
  readonly path: Path;
  readonly at: Position;
  readonly words: Words;
  /** What the schema expected, where the value as a whole is wrong. */
  readonly expected?: Expected;
  /** Set when a key is missing or unknown: a sign that another option of a union was meant. */
  readonly misfit?: true;
}

interface Explanation {
  readonly output: unknown;
  readonly findings: readonly Finding[];
}

// Marks messages that valibot wrote, so that they can be told from those of the schema's author.
const unworded = '\0unworded';

function explain(schema: Schema, subject: Subject): Explanation {
  const unknown: UnknownKey[] = [];
  const input = prune(schema, subject, [], unknown);
  const result = v.safeParse(schema, input, { message: () => unworded });
  const findings = unknown.map(({ path, at, open, allowed }): Finding => {
    return { path, at, words: unknownKeyWords(String(path.at(-1)), open, allowed), misfit: true };
  });
  for (const issue of result.issues ?? []) findings.push(...explainIssue(schema, subject, issue));
  return { output: result.output, findings };
}

function explainIssue(schema: Schema, subject: Subject, issue: Issue): readonly Finding[] {
  const path = pathOf(issue);
  const shape = raiserOf(schema, subject, path, issue);
  const expected = expectedBy(shape);
  if (issue.path?.at(-1)?.origin === 'key')
    return [explainKey(subject.node, path, issue, expected)];
  const at = positionAt(subject.node, path);
  const value = subjectAt(subject, path);
  const isAuthored = issue.message !== unworded;
  const code = 'unfit_value';
  if (issue.kind !== 'schema') {
    const message = isAuthored ? issue.message : validationWords(issue, value?.node);
    return [{ path, at, words: { code, message } }];
  }
  if (isAuthored) return [{ path, at, words: { code, message: issue.message }, expected }];
  const { message, hint } = mismatchWords(expected, value?.node);
  if (value === undefined) {
    // Only a variant raises an issue about a key that is not there: its discriminator.
    const wanted = message.replace(/[;,] found nothing$/, '');
    return [{ path, at, words: { ...missing(path), hint: wanted }, misfit: true }];
  }
  if (issue.type !== 'union') return [{ path, at, words: { code, message, hint }, expected }];
  const findings = explainUnion(optionsOf(shape), value, expected);
  return findings.map((one) => ({ ...one, path: [...path, ...one.path] }));
}

/**
 * The schema that raised an issue: of a key, or of a value, for which a pipe can have several. Only
 * the type is known where valibot chose an option of a union that the walk cannot tell.
 */
function raiserOf(schema: Schema, subject: Subject, path: Path, issue: Issue): Shape {
  const { type } = issue;
  const isKey = issue.path?.at(-1)?.origin === 'key';
  const place = isKey ? path.slice(0, -1) : path;
  const found = schemaAt(schema, subject, place);
  const shape = found && unwrap(found, subjectAt(subject, place) ?? subject);
  if (isKey) return (shape?.key as Shape | undefined) ?? { type };
  const unknown = { type: type === 'union' ? 'unknown' : type };
  return shape?.pipe?.findLast((step) => step.type === type) ?? shape ?? unknown;
}

function explainKey(node: YamlNode, path: Path, issue: Issue, { values }: Expected): Finding {
  const at = keyPositionAt(node, path);
  if (issue.message !== unworded) return { path, at, words: { message: issue.message } };
  const names = values.map(String);
  const isMissing = issue.type === 'strict_object';
  const words = isMissing ? missing(path) : unknownKeyWords(String(path.at(-1)), names, names);
  return { path, at, words, misfit: true };
}

function missing(path: Path): Words {
  return { code: 'missing_key', message: `${quote(String(path.at(-1)))} is missing` };
}

/** The findings of the likeliest option of a union, or one finding about all options. */
function explainUnion(
  options: readonly Schema[],
  subject: Subject,
  expected: Expected,
): readonly Finding[] {
  const all = options.map((option) => explain(option, subject).findings);
  const deeper = all.filter((findings) => !findings.some(isAboutWhole));
  const [best] = deeper.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)));
  if (best !== undefined) return best;
  const { node } = subject;
  const words: Words = { code: 'unfit_value', ...mismatchWords(expected, node) };
  return [{ path: [], at: node.at, words, expected }];
}

function isAboutWhole(finding: Finding): boolean {
  return finding.path.length === 0 && finding.expected !== undefined;
}

/**
 * Sort key; lower is likelier. In order: signs that another option was meant (missing or unknown
 * keys, a wrong literal), number of findings, wrong types, depth.
 */
function rankOf(findings: readonly Finding[]): readonly number[] {
  const isMisfit = ({ path, misfit, expected }: Finding): boolean =>
    path.length === 1 && (misfit === true || expected?.kinds.length === 0);
  const slips = findings.filter(({ words }) => words.hint?.startsWith('did you mean'));
  const depth = Math.max(0, ...findings.map(({ path }) => path.length));
  return [findings.filter(isMisfit).length, findings.length, -slips.length, -depth];
}

function compareRanks(one: readonly number[], other: readonly number[]): number {
  const differing = one.findIndex((value, index) => value !== other[index]);
  return differing < 0 ? 0 : (one[differing] ?? 0) - (other[differing] ?? 0);
}

function pathOf(issue: Issue): Path {
  return (issue.path ?? []).map(({ key }) => (typeof key === 'number' ? key : String(key)));
}
