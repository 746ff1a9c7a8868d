// Owns words of other services and of the RFCs that operators write and the language does not have:
// says what stands for each here, or that there is no such thing.

import { nodeAt } from '../../../lib/document.ts';
import type { Fault } from '../../../lib/fault.ts';
import type { YamlNode } from '../../../lib/yaml/node.ts';
import { reasonsByCode } from '../../../oauth/error_codes.ts';
import { hintsOfKeys, hintsOfValues } from './absent_words.ts';

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
  return hintsOfValues
    .filter(([place]) => place.test(path))
    .map(([, hints]) => hints.get(word))
    .find((hint) => hint !== undefined);
}

/** `rateLimit`, `Rate-Limit` and `rate_limit` are one word. */
function hintOfKey(word: string): string | undefined {
  const snake = word.replace(/([a-z0-9])([A-Z])/g, '$1_$2').replaceAll('-', '_');
  return hintsOfKeys.get(snake.toLowerCase());
}

/** The text at a path, in lists too. */
function textAt(document: YamlNode, path: string): string {
  const steps = path.split('.').map((step) => (/^\d+$/.test(step) ? Number(step) : step));
  const node = nodeAt(document, steps);
  return node?.kind === 'scalar' ? String(node.value) : '';
}
