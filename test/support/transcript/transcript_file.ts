// Owns files of several transcripts, each a test with a server of its own (test/wire/*.transcript).
//
//   include executive_club.head         the lines of a file beside it, for what several files begin with
//   programme = executive-club          what the server serves: a shipped programme, by its identifier
//   over:                               YAML laid over it; without a shipped one it is the whole file
//     revocation: { path: /revoke }
//   client = partnerapi-12345           and the other settings of a transcript, for all tests of the file
//
//   define refresh $1                   what `do refresh {refresh_token}` stands for, anywhere below: $1 is
//   == the refresh token {$1}           the first word after the name, $0 all of them
//   POST /club/token refresh={$1}
//   --- 200 {"token":"{new}"}
//
//   === HOSTILE 32: a test, by its name
//   each $format = opaque | jwt         it is run with each of these for $format; `do` may follow from it
//   over:                               settings of its own follow, then its exchanges
//     tokens: { access: { format: $format } }
//   == a login
//   LOGIN GET /club/login

import { readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import { parseTranscript, type Transcript } from './transcript.ts';

export interface NamedTranscript extends Transcript {
  readonly name: string;
  readonly programme: string;
  /** YAML texts, each to be laid over what is before it. */
  readonly over: readonly string[];
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
  return readFileSync(path, 'utf8').replaceAll(/^include (\S+)$/gm, (_, file: string) =>
    included(join(dirname(path), file)).trimEnd(),
  );
}

function parseTranscripts(text: string): readonly NamedTranscript[] {
  const [common = '', ...tests] = text.split(/^=== /m);
  const [head = '', ...definitions] = common.split(/^define /m);
  const defined = new Map(definitions.map((one) => [/^\S+/.exec(one)?.[0] ?? '', bodyOf(one)]));
  return tests
    .flatMap(withEach)
    .map((test) => expanded(test, defined))
    .map((test) => parseTest(head, test));
}

function bodyOf(definition: string): string {
  return definition.slice(definition.indexOf('\n') + 1).trimEnd();
}

/** The text with each `do` replaced by what it stands for, also within that. */
function expanded(text: string, defined: ReadonlyMap<string, string>): string {
  return text.replaceAll(
    /^(.*)\bdo (\S+)(.*)$/gm,
    (line, before: string, name: string, words: string) => {
      if (before !== '' && before !== '--- ') return line;
      const body = defined.get(name);
      if (body === undefined) throw new Error(`nothing is defined for: ${line}`);
      const given = words.slice(1).split(' ');
      return (
        before +
        expanded(
          body.replaceAll(/\$(\d)/g, (_, place: string) =>
            place === '0' ? words.trim() : (given[Number(place) - 1] ?? ''),
          ),
          defined,
        )
      );
    },
  );
}

/** The test once for each value of its `each`, which its name then ends with; of several all combinations. */
function withEach(test: string): readonly string[] {
  const [line, name = '', values = ''] = /^each \$(\w+) = (.*)\n/m.exec(test) ?? [];
  if (line === undefined) return [test];
  return values.split(' | ').flatMap((value) =>
    withEach(
      test
        .replace(line, '')
        .replace('\n', value.trim() === '' ? '\n' : `, ${value}\n`)
        .replaceAll(`$${name}`, value.trim()),
    ),
  );
}

function parseTest(head: string, test: string): NamedTranscript {
  const [name = '', ...rest] = test.split('\n');
  const transcript = parseTranscript(`${head}\n${rest.join('\n')}`);
  const { programme } = transcript.settings;
  if (programme === undefined) throw new Error(`no programme is said: ${name}`);
  const [ownHead = ''] = rest.join('\n').split(/^== /m);
  return { ...transcript, name, programme, over: [head, ownHead].flatMap(yamlIn) };
}

/** The indented lines of a head after each `over:`. */
function yamlIn(head: string): readonly string[] {
  return head.split(/^over:$/m).flatMap((part) => {
    const lines = part.split('\n').filter((line) => line.startsWith('  '));
    return lines.length === 0 ? [] : [`${lines.map((line) => line.slice(2)).join('\n')}\n`];
  });
}
