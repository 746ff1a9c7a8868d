// Owns what a dialect says, worked out by other means than the engine's: its variant and the file on
// top as plain values, merged and grouped here, with no schema and no compilation.

import { readFileSync } from 'node:fs';

import { toPlain } from '../../../src/lib/document.ts';
import { parseYaml } from '../../../src/lib/yaml/yaml.ts';
import { failureReasons } from '../../../src/oauth/reasons.ts';

export type Plain = null | boolean | number | string | readonly Plain[] | PlainMap;
export interface PlainMap {
  readonly [name: string]: Plain;
}

export function isMap(value: Plain | undefined): value is PlainMap {
  return typeof value === 'object' && value !== null && !Array.isArray(value);
}

/** The value a path of keys leads to, if there is one. */
export function at(value: Plain | undefined, ...path: readonly string[]): Plain | undefined {
  return path.reduce<Plain | undefined>(
    (inner, key) => (isMap(inner) && Object.hasOwn(inner, key) ? inner[key] : undefined),
    value,
  );
}

/** The text there; absent where there is none. */
export function textAt(value: Plain | undefined, ...path: readonly string[]): string | undefined {
  const found = at(value, ...path);
  return typeof found === 'string' ? found : undefined;
}

export function mapAt(value: Plain | undefined, ...path: readonly string[]): PlainMap {
  const found = at(value, ...path);
  return isMap(found) ? found : {};
}

/** The whole dialect that an overlay stands for. */
export function effective(overlay: PlainMap): PlainMap {
  const shipped = ['common', textAt(overlay, 'variant')].map((name) => {
    const path = `src/variants/${name}.yaml`;
    const { root } = parseYaml(path, readFileSync(path, 'utf8'));
    if (root === undefined) throw new Error(`${path} does not parse`);
    return toPlain(root) as Plain;
  });
  const groups = at(overlay, 'errors', 'groups') ?? [];
  const grouped = (groups as readonly PlainMap[]).reduce(withGroup, shipped.reduce(patch));
  return patch(grouped, overlay) as PlainMap;
}

/** What verify refuses with: `all` does not mean its status. */
const gateways =
  /^(?:missing_api_key|invalid_api_key|missing_token|invalid_token|insufficient_scope)$/;

function withGroup(dialect: Plain, { reasons, ...said }: PlainMap): Plain {
  const named = reasons === 'all' ? failureReasons : (reasons as readonly string[]);
  const { status: _, ...rest } = said;
  const layer = Object.fromEntries(
    named.map((reason) => [reason, reasons === 'all' && gateways.test(reason) ? rest : said]),
  );
  return patch(dialect, { errors: { reasons: layer } });
}

/** Names in the order of the file, of maps where JavaScript would put those like numbers first. */
const orders = new WeakMap<PlainMap, readonly string[]>();

/** The keys of a map in the order they have in the merged file. */
export function keysOf(map: PlainMap): readonly string[] {
  return orders.get(map) ?? Object.keys(map);
}

/** RFC 7396; keys keep the order of the target, new ones follow. */
function patch(target: Plain, over: Plain): Plain {
  if (!isMap(over)) return over;
  const merged = new Map(isMap(target) ? keysOf(target).map((key) => [key, target[key]]) : []);
  for (const name of keysOf(over)) {
    const value = over[name] ?? null;
    if (value === null) merged.delete(name);
    else merged.set(name, patch(merged.get(name) ?? null, value));
  }
  const result = Object.fromEntries(merged) as PlainMap;
  orders.set(result, [...merged.keys()]);
  return result;
}
