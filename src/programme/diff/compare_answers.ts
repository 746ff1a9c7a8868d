// Owns comparing two answers: the cases in which they differ, and what the later one lacks.

import { type Answers, answerText, type BodyForm, type Told } from '../contract/answers.ts';
import { secondScope } from '../contract/samples.ts';

/** Two answers to the same, which differ. */
export interface DifferentAnswer {
  /** Values that are absent in this case. */
  readonly without: readonly string[];
  readonly before: string;
  readonly after: string;
  /** What the later answer lacks, in words. */
  readonly breaks: string | undefined;
}

/** Cases of present and absent values that are tried, so that eight values have all of them. */
const mostCases = 256;

/**
 * The cases in which the answers differ, the one with all values first. A case that differs in nothing
 * but what an earlier one shows is left out.
 */
export function differentAnswers(before: Answers, after: Answers): readonly DifferentAnswer[] {
  // Of one answer that can tell several scopes and one that cannot, those with one are compared.
  const isSeveral = [before, after].every(({ mayHold }) => mayHold.includes(secondScope));
  const values = [...new Set([...before.mayHold, ...after.mayHold])].filter(
    (value) => isSeveral || value !== secondScope,
  );
  const seen = new Set<string>();
  const found: DifferentAnswer[] = [];
  for (const without of cases(values)) {
    const absent = new Set(isSeveral ? without : [secondScope, ...without]);
    const [one, other] = [before.render(absent), after.render(absent)];
    const [was, is] = [answerText(one), answerText(other)];
    if (was === is) continue;
    const edits = editsOf(was, is);
    const isNew = found.length === 0 || edits.some((edit) => !seen.has(edit));
    for (const edit of edits) seen.add(edit);
    if (!isNew) continue;
    const form = before.form === after.form ? before.form : 'text';
    found.push({ without, before: was, after: is, breaks: lackIn(one, other, form) });
  }
  return found;
}

/** Subsets of the values, smaller ones first. */
function* cases(values: readonly string[]): Iterable<readonly string[]> {
  let left = mostCases;
  let level: (readonly [subset: readonly string[], next: number])[] = [[[], 0]];
  while (level.length > 0) {
    for (const [subset] of level) {
      if (left <= 0) return;
      left -= 1;
      yield subset;
    }
    level = level.flatMap(([subset, next]) =>
      values.slice(next).map((value, index) => [[...subset, value], next + index + 1] as const),
    );
  }
}

/** The parts that only one of two texts has. */
function editsOf(before: string, after: string): readonly string[] {
  const [was, is] = [partsOf(before), partsOf(after)];
  const [had, has] = [new Set(was), new Set(is)];
  return [
    ...was.filter((part) => !has.has(part)).map((part) => `-${part}`),
    ...is.filter((part) => !had.has(part)).map((part) => `+${part}`),
  ];
}

/** A text in the parts of which bodies and addresses are made: members, elements, parameters. */
function partsOf(text: string): readonly string[] {
  return text.split(/([,{}[\]&?;\n]|<[^>]*>)/).filter((part) => part !== '');
}

/** What the first answer has and the second has not; undefined if the second has it all. */
function lackIn(before: Told, after: Told, form: BodyForm): string | undefined {
  if (before.status !== after.status) return `status ${before.status} becomes ${after.status}`;
  const now = new Map(
    Object.entries(after.headers).map(([name, value]) => [name.toLowerCase(), value]),
  );
  for (const [name, value] of Object.entries(before.headers)) {
    const found = now.get(name.toLowerCase());
    if (found === undefined) return `the header ${name} is gone`;
    const lack =
      name === 'Location'
        ? lackInAddress(value, found)
        : withoutRealm(found) !== withoutRealm(value) && 'has another value';
    if (typeof lack === 'string')
      return `${name === 'Location' ? 'redirect:' : `the header ${name}`} ${lack}`;
  }
  if (form === 'page' || before.body === after.body) return undefined;
  if (form === 'text') return lackInText(before.body, after.body);
  const read = form === 'json' ? readJson : readForm;
  return lackInMembers(read(before.body), read(after.body), '');
}

/** A challenge without its realm, which is for people. */
function withoutRealm(value: string): string {
  return value.replace(/ realm="[^"]*"/, '');
}

function lackInAddress(before: string, after: string): string | undefined {
  const [was, is] = [new URL(before, anyOrigin), new URL(after, anyOrigin)];
  if (was.origin + was.pathname !== is.origin + is.pathname) return 'it leads elsewhere';
  return lackInMembers(readForm(was.search.slice(1)), readForm(is.search.slice(1)), '');
}

const anyOrigin = 'https://localhost';

function readJson(text: string): unknown {
  return JSON.parse(text) as unknown;
}

/** A form's members with all values of each. */
function readForm(text: string): unknown {
  const parameters = new URLSearchParams(text);
  return Object.fromEntries([...parameters.keys()].map((name) => [name, parameters.getAll(name)]));
}

function lackInMembers(before: unknown, after: unknown, path: string): string | undefined {
  if (!isObject(before) || !isObject(after)) {
    if (JSON.stringify(before) === JSON.stringify(after)) return undefined;
    if (isProse(before) && isProse(after)) return undefined;
    return `${path === '' ? 'the body' : `"${path}"`} has another value`;
  }
  for (const [name, value] of Object.entries(before)) {
    const inner = path === '' ? name : `${path}.${name}`;
    if (!Object.hasOwn(after, name)) return `"${inner}" is gone`;
    const lack = lackInMembers(value, after[name], inner);
    if (lack !== undefined) return lack;
  }
  return undefined;
}

/** Whether a value is text for people, in whose words no program can trust. */
function isProse(value: unknown): boolean {
  const [text, ...others] = Array.isArray(value) ? (value as readonly unknown[]) : [value];
  return others.length === 0 && typeof text === 'string' && /\S\s/.test(text);
}

function isObject(value: unknown): value is Readonly<Record<string, unknown>> {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The first part of a text that the other lacks, or has in another order. */
function lackInText(before: string, after: string): string | undefined {
  const parts = partsOf(after);
  let at = 0;
  for (const part of partsOf(before)) {
    if (isProse(part)) continue;
    const found = parts.indexOf(part, at);
    if (found < 0) return `the body lacks ${part.trim()}`;
    at = found + 1;
  }
  return undefined;
}
