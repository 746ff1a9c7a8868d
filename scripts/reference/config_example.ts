// Owns the text of `config.example.yaml`: each key of the configuration with what it does, and a value.

import { rows } from '../../src/config/keys.ts';
import type { Row } from '../../src/config/rows.ts';
import { defaultWords } from '../../src/schema/key_words.ts';
import { hasKeys, isOptional, type Key, keysOf } from '../../src/schema/keys.ts';
import type { Shape } from '../../src/schema/walk.ts';

const width = 100;

const head =
  "What an operator decides about one running Jetway. `jetway init` writes this file as config.yaml. Change what differs, run `jetway check`, then `jetway serve`. Paths are relative to this file's folder. `jetway help key NAME` tells of one key.";

/** The whole file. A key that is not set stands there as a comment, with `#` before it. */
export function configExample(): string {
  const parts = Object.entries(rows).map(([name, row]) => keyPart(name, row));
  return `${[comment(head, ''), ...parts].join('\n\n')}\n`;
}

function keyPart(name: string, { entry, isSet }: Row): string {
  const mark = isSet ? '' : '#';
  const shape = entry as Shape;
  const said = comment(textOf({ path: name, entry: shape, required: !isOptional(shape) }), '');
  if (!hasKeys(entry)) return `${said}\n${mark}${name}: ${shape.docs?.example ?? ''}`;
  // What is below a key of a key is told by its own example.
  const below = keysOf(entry).filter(({ path }) => !path.includes('.'));
  const lines = below.flatMap((key) => [
    comment(textOf(key), `${mark}  `),
    `${mark}  ${key.path}: ${key.entry.docs?.example ?? ''}`,
  ]);
  return [said, `${mark}${name}:`, ...lines].join('\n');
}

/** The text of a key, and what applies where the file leaves it out. */
function textOf(key: Key): string {
  const { text = '' } = key.entry.docs ?? {};
  if (key.required) return `${text} Required.`;
  const usual = defaultWords(key).replaceAll('`', '');
  return `${text} Left out: ${usual}.`;
}

function comment(text: string, indent: string): string {
  const lines = [''];
  for (const word of text.split(' ')) {
    const last = lines.at(-1) ?? '';
    const longer = last === '' ? word : `${last} ${word}`;
    if (indent.length + 2 + longer.length <= width) lines[lines.length - 1] = longer;
    else lines.push(word);
  }
  return lines.map((line) => `${indent}# ${line}`).join('\n');
}
