// Owns validating a document against a schema: finds all faults, with positions and messages.

import * as v from 'valibot';

import { keyPositionAt, positionAt } from '../lib/document.ts';
import { byPosition, errorAt, type Fault, type Path, type Position, quote } from '../lib/fault.ts';
import type { YamlNode } from '../lib/yaml/node.ts';
import {
  findType,
  kindOfType,
  optionsOf,
  prune,
  type Schema,
  schemaAt,
  type Subject,
  subjectAt,
  subjectOf,
  type UnknownKey,
  unwrap,
  variantLeaves,
} from './walk.ts';
import {
  type Expected,
  expectedOf,
  expectedOfIssue,
  expectedOfShape,
  joinExpected,
  mismatchWords,
  unknownKeyWords,
  validationWords,
  type Words,
} from './words.ts';

export interface Validation<Output> {
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
    const fault = errorAt(at, path, words.message, words.hint);
    faults.set(JSON.stringify([at, words.message]), fault);
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

type Issue = v.BaseIssue<unknown>;

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
  const { node } = subject;
  const path = pathOf(issue);
  const aboutKey = issue.path?.at(-1)?.origin === 'key';
  const at = aboutKey ? keyPositionAt(node, path) : positionAt(node, path);
  if (issue.message !== unworded) {
    const words = { message: issue.message };
    if (issue.kind !== 'schema' || aboutKey) return [{ path, at, words }];
    return [{ path, at, words, expected: expectedOfIssue(issue) }];
  }
  if (aboutKey) return [explainKey(schema, subject, issue)];
  const value = subjectAt(subject, path);
  if (issue.kind !== 'schema') {
    return [{ path, at, words: { message: validationWords(issue, value?.node) } }];
  }
  if (issue.type === 'variant') {
    const finding = explainDiscriminator(schema, subject, path);
    if (finding !== undefined) return [finding];
  }
  const here = schemaAt(schema, subject, path);
  const shape = here && value && unwrap(here, value);
  if (shape?.type === 'union' && value !== undefined) {
    const findings = explainUnion(optionsOf(shape), value);
    return findings.map((one) => ({ ...one, path: [...path, ...one.path] }));
  }
  // A later step of a pipe may expect another type than the first schema, and the walk sees only
  // the first.
  const expected = shape?.type === issue.type ? expectedOfShape(shape) : expectedOfIssue(issue);
  return [{ path, at, words: mismatchWords(expected, value?.node), expected }];
}

function explainKey(schema: Schema, subject: Subject, issue: Issue): Finding {
  const path = pathOf(issue);
  const key = String(path.at(-1));
  const at = keyPositionAt(subject.node, path);
  if (kindOfType(issue.type) === 'map' && issue.input === undefined) {
    return { path, at, words: { message: `${quote(key)} is missing` }, misfit: true };
  }
  const parent = path.slice(0, -1);
  const holder = subjectAt(subject, parent);
  const around = schemaAt(schema, subject, parent);
  const record = holder && around && findType(around, holder, 'record');
  const names = record && holder && expectedOf(record.key as Schema, holder).values.map(String);
  if (issue.kind === 'schema') {
    return { path, at, words: unknownKeyWords(key, names ?? [], names ?? []), misfit: true };
  }
  const keyNode: YamlNode = { kind: 'scalar', at, value: key };
  return { path, at, words: { message: `key: ${validationWords(issue, keyNode)}` } };
}

/** Explains a wrong discriminator value, if the path leads to a variant's discriminator. */
function explainDiscriminator(schema: Schema, subject: Subject, path: Path): Finding | undefined {
  const parent = path.slice(0, -1);
  const key = path.at(-1);
  const holder = subjectAt(subject, parent);
  const around = schemaAt(schema, subject, parent);
  const variant = holder && around && findType(around, holder, 'variant');
  if (key === undefined || variant === undefined || holder === undefined) return undefined;
  const choices = variantLeaves(variant).flatMap((leaf) => {
    const choice = leaf.entries?.[key];
    return choice === undefined ? [] : [expectedOf(choice, holder)];
  });
  const expected = joinExpected(choices);
  const value = subjectAt(subject, path)?.node;
  const at = positionAt(subject.node, path);
  const { message, hint } = mismatchWords(expected, value);
  if (value !== undefined) return { path, at, words: { message, hint }, expected };
  const wanted = message.replace(/[;,] found nothing$/, '');
  const missing = `${quote(String(key))} is missing`;
  return { path, at, words: { message: missing, hint: wanted }, misfit: true };
}

/** The findings of the likeliest option of a union, or one finding about all options. */
function explainUnion(options: readonly Schema[], subject: Subject): readonly Finding[] {
  const all = options.map((option) => explain(option, subject).findings);
  const deeper = all.filter((findings) => !findings.some(isAboutWhole));
  const [best] = deeper.toSorted((one, other) => compareRanks(rankOf(one), rankOf(other)));
  if (best !== undefined) return best;
  const wholes = all.flatMap((findings) => findings.filter(isAboutWhole));
  const { node } = subject;
  const expected = joinExpected(wholes.flatMap((finding) => finding.expected ?? []));
  return [{ path: [], at: node.at, words: mismatchWords(expected, node), expected }];
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
