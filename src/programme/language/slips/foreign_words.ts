// Owns words of other services and of the RFCs that operators write and the language does not have:
// says what stands for each here, or that there is no such thing.

import { readYamlAsset } from '../../../lib/asset.ts';
import { nodeAt, toPlain } from '../../../lib/document.ts';
import type { Fault } from '../../../lib/fault.ts';
import type { YamlNode } from '../../../lib/yaml/node.ts';
import { reasonsByCode } from '../../../oauth/reasons.ts';

/** Several words with a text each. */
type Texts = Readonly<Record<string, string>>;
type Hints = ReadonlyMap<string, string>;

export interface AbsentWords {
  readonly ofKeys: Hints;
  /** By the form of the paths at which they stand. */
  readonly ofValues: readonly (readonly [place: RegExp, hints: Hints])[];
}

let read: AbsentWords | undefined;

/** What is said of each word that the language does not have; read at the first fault. */
export function absentWords(): AbsentWords {
  if (read !== undefined) return read;
  const { root } = readYamlAsset('src/programme/language/slips/absent_words.yaml');
  if (root === undefined) throw new Error('absent_words.yaml cannot be read');
  const { keys, values } = toPlain(root) as {
    readonly keys: Texts;
    readonly values: Readonly<Record<string, Texts>>;
  };
  const ofValues = Object.entries(values).map(
    ([place, texts]) => [new RegExp(place), hintsIn(texts)] as const,
  );
  read = { ofKeys: hintsIn(keys), ofValues };
  return read;
}

function hintsIn(texts: Texts): Hints {
  return new Map(
    Object.entries(texts).flatMap(([words, text]) =>
      words.split(' ').map((word) => [word, text] as const),
    ),
  );
}

/** Where one failure reason is named: the code would have to choose. */
const reasonPlaces = /^errors\.reasons\.[^.]+$|\.when_[a-z_]+$/;

/** The fault with the hint for the word at its place, if there is one. */
export function withForeignWord(document: YamlNode, fault: Fault): Fault {
  const [, kind] = /^(unknown key|expected) /.exec(fault.message) ?? [];
  if (kind === undefined) return fault;
  const isKey = kind === 'unknown key';
  const word = isKey ? (fault.path.split('.').at(-1) ?? '') : textAt(document, fault.path);
  const hint = hintOfCode(fault.path, word) ?? hintOfValue(fault.path, word);
  const found = hint ?? (isKey ? hintOfKey(word) : undefined);
  return found === undefined ? fault : { ...fault, hint: found };
}

function hintOfCode(path: string, word: string): string | undefined {
  if (!reasonPlaces.test(path) || !Object.hasOwn(reasonsByCode, word)) return undefined;
  const reasons = reasonsByCode[word]?.join(', ');
  return `${word} is an error code (RFC 6749 5.2): errors.groups takes it, for the reasons ${reasons}`;
}

function hintOfValue(path: string, word: string): string | undefined {
  return absentWords()
    .ofValues.filter(([place]) => place.test(path))
    .map(([, hints]) => hints.get(word))
    .find((hint) => hint !== undefined);
}

/** `rateLimit`, `Rate-Limit` and `rate_limit` are one word. */
function hintOfKey(word: string): string | undefined {
  const snake = word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_');
  return absentWords().ofKeys.get(snake.toLowerCase());
}

/** The text at a path, in lists too. */
function textAt(document: YamlNode, path: string): string {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const node = nodeAt(document, steps);
  return node?.kind === 'scalar' ? String(node.value) : '';
}
