// Owns mutations of a text: what slips, editors, bad disks and hostile hands do to a YAML file.

import fc from 'fast-check';

import { list } from './trees.ts';

export type Mutation = (text: string) => string;

/** Where in a text, as a share of it, so that it shrinks with the text. */
const place = fc.double({ min: 0, max: 1, noNaN: true });

/** Marks, words and numbers that mean something to YAML, to JavaScript or to the programme language. */
const oddities = [
  ...list(`
    null ~ true no 0 -1 1e999 .inf .nan 0x1F 00123 1_000 [ ] { } , | > " ' # *a !x
    __proto__ constructor toString all nothing {parameter} .. 1..2 5m é 漢 😀 İ ß ^(a+)+$
  `),
  ...': |- |? |&a |!!str |<<: |---\n|...\n|%YAML 1.1\n|\r\n|\n\n  |&a [*a,*a]'.split('|'),
  ...Array.from('\t\r\n \uFEFF\0\u0085\u2028\uFFFD\uD800\u202E'),
  ...String.raw`\u0000 "\0" "\uD800"`.split(' '),
  'variant: grant\n',
  'grants: {}\n',
];
const oddity = fc.oneof(
  fc.constantFrom(...oddities),
  fc.array(fc.nat(0x10_ff_ff), { maxLength: 5 }).map((points) => String.fromCodePoint(...points)),
  fc
    .tuple(fc.constantFrom('[', '{a: ', '- ', '{', '"', '? ', 'a: {'), fc.nat(4000))
    .map(([part, n]) => part.repeat(n)),
);

function spliced(text: string, at: number, length: number, insert: string): string {
  const from = Math.floor(at * text.length);
  return text.slice(0, from) + insert + text.slice(from + length);
}

const characters = fc.tuple(place, fc.constantFrom(0, 0, 1, 5, 40), oddity).map(
  ([at, length, insert]): Mutation =>
    (text) =>
      spliced(text, at, length, insert),
);

/** What a bad disk does: the text is UTF-8 no more. */
const bytes = fc
  .array(fc.tuple(place, fc.nat(255)), { minLength: 1, maxLength: 4 })
  .map((changes): Mutation => (text) => {
    const buffer = Buffer.from(text);
    for (const [at, byte] of changes) buffer[Math.floor(at * (buffer.length - 1))] = byte;
    return buffer.toString();
  });

const lines = fc
  .tuple(place, place, fc.constantFrom('drop', 'double', 'swap', 'indent', 'outdent', 'many'))
  .map(([one, other, change]): Mutation => (text) => {
    const all = text.split('\n');
    const at = Math.floor(one * (all.length - 1));
    const to = Math.floor(other * (all.length - 1));
    const [line = '', far = ''] = [all[at], all[to]];
    const changed: Readonly<Record<typeof change, () => readonly string[]>> = {
      drop: () => all.toSpliced(at, 1),
      double: () => all.toSpliced(to, 0, line),
      swap: () => all.with(at, far).with(to, line),
      indent: () => all.with(at, `  ${line}`),
      outdent: () => all.with(at, line.trimStart()),
      many: () => all.toSpliced(at, 1, ...Array.from({ length: copies(line) }, numbered(line))),
    };
    return changed[change]().join('\n');
  });

/** Enough for a file past the limit on its size, and not for much more. */
function copies(line: string): number {
  return Math.min(3000, Math.ceil(100_000 / (line.length + 1)));
}

/** The line again and again, with another key each time. */
function numbered(line: string): (_: unknown, index: number) => string {
  return (_, index) => line.replace(':', `${index}:`);
}

/** One word, number or bracket becomes another, of the file or from elsewhere. */
const tokens = fc.tuple(place, fc.oneof(oddity, place)).map(([at, other]): Mutation => (text) => {
  const found = [...text.matchAll(/[\w.-]+|[[\]{}:,"#]/g)];
  const one = found[Math.floor(at * (found.length - 1))];
  const word =
    typeof other === 'string' ? other : found[Math.floor(other * (found.length - 1))]?.[0];
  if (one === undefined || word === undefined) return text;
  return text.slice(0, one.index) + word + text.slice(one.index + one[0].length);
});

const cut = place.map(
  (at): Mutation =>
    (text) =>
      text.slice(0, Math.floor(at * text.length)),
);

/** One to five things done to a text. */
export const mutations: fc.Arbitrary<readonly Mutation[]> = fc.array(
  fc.oneof(
    { weight: 4, arbitrary: characters },
    { weight: 2, arbitrary: bytes },
    { weight: 4, arbitrary: lines },
    { weight: 6, arbitrary: tokens },
    { weight: 1, arbitrary: cut },
  ),
  { minLength: 1, maxLength: 5 },
);
