// Owns what an answer lacks that an earlier version of it had: only what a program could rely on.

import type { BodyForm } from '../answers.ts';
import type { Told } from '../samples/answers.ts';

/** The parts that only one of two texts has. */
export function editsOf(before: string, after: string): readonly string[] {
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
export function lackIn(before: Told, after: Told, form: BodyForm): string | undefined {
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
