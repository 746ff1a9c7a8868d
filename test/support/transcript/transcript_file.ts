// Owns files of several transcripts, each a test with a server of its own (test/wire/*.transcript).
//
//   include executive_club.head         the lines of a file beside it, for what several files begin with
//   programme = executive-club          what the server serves: a shipped programme, by its identifier
//   over revocation: { path: /revoke }  YAML laid over it; without a shipped one it is the whole file. Of several
//                                       lines it is indented below `over:`
//   beside gold-club = executive-club   another programme of the same server: a shipped one, by another name or by its
//     base_path: /gold-club             own, with YAML laid over it; or that YAML alone
//   client = partnerapi-12345 hush      and the other settings of a transcript, for all tests of the file
//
//   === HOSTILE 32: a test, by its name
//   each $format = opaque | jwt         it is run with each of these for $format; `do` may follow from it; of
//                                       `each $a $b = 1 2 | 3 4` a word for each name
//   over tokens: { access: { format: $format } }
//   == a login: LOGIN GET /club/login --- no

import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { shippedProgramme, withYaml } from '../jetway.ts';
import { definitionsOf, expanded } from './definitions.ts';
import { writtenOut } from './short.ts';
import { parseTranscript, type Transcript } from './transcript.ts';

export interface NamedTranscript extends Transcript {
  readonly name: string;
  readonly programme: string;
  /** YAML texts, each laid over what is before it. */
  readonly over: readonly string[];
  /** The programme file, with those. */
  readonly yaml: string;
  /** The files of other programmes of the same server, by identifier. */
  readonly beside: Readonly<Record<string, string>>;
}

const shipped: ReadonlySet<string> = new Set(globSync('*.yaml', { cwd: 'programmes' }));

function yamlOf(programme: string, over: readonly string[]): string {
  return shipped.has(`${programme}.yaml`)
    ? shippedProgramme(programme, ...over)
    : withYaml(...over);
}

/** Reads the tests of a file; throws on what is none, naming the file. */
export function readTranscripts(path: string): readonly NamedTranscript[] {
  const text = included(path);
  try {
    return parseTranscripts(text);
  } catch (error) {
    throw new Error(`${path}: ${String(error)}`, { cause: error });
  }
}

/** The text of a file with what it includes, and what that does. */
function included(path: string): string {
  return writtenOut(readFileSync(path, 'utf8')).replaceAll(/^include (\S+)$/gm, (_, file: string) =>
    included(join(dirname(path), file)).trimEnd(),
  );
}

function parseTranscripts(text: string): readonly NamedTranscript[] {
  const [common = '', ...tests] = text.split(/^=== /m);
  const { head, defined } = definitionsOf(common);
  return tests
    .flatMap(withEach)
    .map((test) => expanded(test, defined))
    .map((test) => parseTest(head, test));
}

/** The test once for each value of its `each`, which its name then ends with; of several all combinations. */
function withEach(test: string): readonly string[] {
  const [line, names = '', values = ''] = /^each (\$\w+(?: \$\w+)*) = (.*)\n/m.exec(test) ?? [];
  if (line === undefined) return [test];
  const [name = '', ...more] = names.split(' ');
  return values.split(' | ').flatMap((value) => {
    const [first = '', ...others] = more.length === 0 ? [value.trim()] : value.trim().split(' ');
    const filled = more.reduce(
      (text, one, at) => text.replaceAll(one, others[at] ?? ''),
      test
        .replace(line, '')
        .replace('\n', value.trim() === '' ? '\n' : `, ${value}\n`)
        .replaceAll(name, first),
    );
    return withEach(filled);
  });
}

function parseTest(head: string, test: string): NamedTranscript {
  const [name = '', ...rest] = test.split('\n');
  const transcript = parseTranscript(`${head}\n${rest.join('\n')}`);
  const { programme } = transcript.settings;
  if (programme === undefined) throw new Error(`no programme is said: ${name}`);
  const [ownHead = ''] = rest.join('\n').split(/^== /m);
  const heads = `${head}\n${ownHead}\n`;
  const over = yamlBelow(heads, /^over:\n/gm).map(({ yaml }) => yaml);
  const besides = yamlBelow(heads, /^beside (\S+)(?: = (\S+))?\n/gm);
  const beside = [...Map.groupBy(besides, ({ words: [id = ''] }) => id)].map(([id, parts]) => {
    const [file = id] = parts.flatMap(({ words }) => words[1] ?? []);
    return [
      id,
      yamlOf(
        file,
        parts.map((part) => part.yaml),
      ),
    ] as const;
  });
  const yaml = yamlOf(programme, over);
  return { ...transcript, name, programme, over, yaml, beside: Object.fromEntries(beside) };
}

/** The indented lines below each line of a head that is like the one given, and the words of that. */
function yamlBelow(
  head: string,
  line: RegExp,
): readonly { readonly words: readonly string[]; readonly yaml: string }[] {
  return [...head.matchAll(line)].map((found) => {
    const [whole, ...words] = found;
    const [below = ''] = /^(?: {2}.*\n)*/.exec(head.slice(found.index + whole.length)) ?? [];
    return { words, yaml: below.replaceAll(/^ {2}/gm, '') };
  });
}
