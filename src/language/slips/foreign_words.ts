// Owns words of other services and of the RFCs that operators write and the language does not have:
// says what stands for each here, or that there is no such thing.

import { readYamlAsset } from '../../lib/asset.ts';
import { nodeAt, toPlain } from '../../lib/document.ts';
import type { Fault } from '../../lib/fault.ts';
import type { YamlNode } from '../../lib/yaml/node.ts';
import { reasonsByCode } from '../../oauth/reasons.ts';

/** What is told of each word. In the file one text can be that of several words. */
type Hints = ReadonlyMap<string, string>;
type Texts = Readonly<Record<string, string>>;

export interface AbsentWords {
  readonly ofKeys: Hints;
  /** By the form of the paths at which they stand. */
  readonly ofValues: readonly (readonly [place: RegExp, hints: Hints])[];
}

let read: AbsentWords | undefined;

/** What is told of each word that the language does not have; read at the first fault. */
export function absentWords(): AbsentWords {
  if (read !== undefined) return read;
  const { root } = readYamlAsset('src/language/slips/absent_words.yaml');
  if (root === undefined) throw new Error('absent_words.yaml cannot be read');
  const { keys, values } = toPlain(root) as { keys: Texts; values: Record<string, Texts> };
  const hintsIn = (texts: Texts): Hints =>
    new Map(
      Object.entries(texts).flatMap(([words, text]) => words.split(' ').map((one) => [one, text])),
    );
  const ofValues = Object.entries(values).map(
    ([place, texts]) => [new RegExp(place), hintsIn(texts)] as const,
  );
  read = { ofKeys: hintsIn(keys), ofValues };
  return read;
}

/** Where one failure reason is named: the code would have to choose. */
const reasonPlaces = /^errors\.reasons\.[^.]+$|\.when_[a-z_]+$/;

/** The fault with the hint for the word at its place, if there is one. */
export function withForeignWord(document: YamlNode, fault: Fault): Fault {
  const { path, message } = fault;
  const isKey = message.startsWith('unknown key ');
  if (!isKey && !message.startsWith('expected ')) return fault;
  const steps = path.split('.');
  const node = nodeAt(document, steps);
  const written = node?.kind === 'scalar' ? String(node.value) : '';
  const word = isKey ? (steps.at(-1) ?? '') : written;
  if (reasonPlaces.test(path) && Object.hasOwn(reasonsByCode, word)) {
    const reasons = reasonsByCode[word]?.join(', ');
    const hint = `${word} is an error code (RFC 6749 5.2): errors.groups takes it, for the reasons ${reasons}`;
    return { ...fault, hint };
  }
  const { ofKeys, ofValues } = absentWords();
  const ofPlace = ofValues.find(([place, hints]) => place.test(path) && hints.has(word));
  const hint = ofPlace?.[1].get(word) ?? (isKey ? ofKeys.get(snakeCase(word)) : undefined);
  return hint === undefined ? fault : { ...fault, hint };
}

/** `rateLimit`, `Rate-Limit` and `rate_limit` are one word. */
function snakeCase(word: string): string {
  return word
    .replace(/([a-z0-9])([A-Z])/g, '$1_$2')
    .replaceAll('-', '_')
    .toLowerCase();
}
