// Tests of parameters in multipart/form-data bodies: what is read, what is refused, and that two other
// readings of the same bytes see the same fields.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { parseMultipart } from '../../../src/oauth/bodies/multipart_parameters.ts';
import { charsetOf } from '../../../src/oauth/charset.ts';
import { MalformedParameters, maxParameters } from '../../../src/oauth/parameters.ts';
import { anyText, fc } from '../../support/property.ts';

type Fields = readonly (readonly [name: string, value: string])[];

/** The fields of a body that is written with one byte for each character; `|` stands for a line break. */
function read(text: string, boundary = 'b', charset?: string): Fields {
  const body = Buffer.from(text.replaceAll('|', '\r\n'), 'latin1');
  return fieldsOf(body, boundary, charset);
}

function fieldsOf(body: Uint8Array, boundary: string | undefined, charset?: string): Fields {
  const found = parseMultipart(
    body,
    boundary,
    charset === undefined ? undefined : charsetOf(charset),
  );
  return [...found].flatMap(([name, values]) => values.map((value) => [name, value] as const));
}

const named = 'Content-Disposition: form-data; name=';

test('reads each part as a parameter; a name that comes twice has two values', () => {
  const body = `--b|${named}"code"||a b|--b|${named}code||&=%41+|--b|${named}"x"|||--b--|`;
  assert.deepEqual(read(body), [
    ['code', 'a b'],
    ['code', '&=%41+'],
    ['x', ''],
  ]);
  assert.deepEqual(read('--b--'), []);
});

test('takes what libraries write around a field', () => {
  for (const body of [
    // A line break before the first boundary: clients of old Java.
    `|--b|${named}"c"||v|--b--|`,
    `--b|${named}"c"||v|--b--`,
    // okhttp, Apache HttpClient, .NET.
    `--b|${named}"c"|Content-Length: 1||v|--b--|`,
    `--b|${named}"c"|Content-Type: text/plain; charset=US-ASCII|Content-Transfer-Encoding: 8bit||v|--b--|`,
    `--b|Content-Type: text/plain; charset=utf-8|${named}c||v|--b--|`,
    `--b|content-DISPOSITION:FORM-DATA ;name="c" |content-type:TEXT/PLAIN;CHARSET="UTF-8"||v|--b--|`,
  ]) {
    assert.deepEqual(read(body), [['c', 'v']], body);
  }
  assert.deepEqual(read(`--b|${named}"a%22%0d%0Ab%41"||v|--b--|`), [['a"\r\nb%41', 'v']]);
});

test('a value keeps what only looks like a boundary', () => {
  for (const value of ['--a', '|--a', '||', '-', '--', '|-|--', '\r--b', '\n--b', ' --b--']) {
    const kept = value.replaceAll('|', '\r\n');
    assert.deepEqual(read(`--b|${named}"c"||${value}|--b--|`), [['c', kept]], value);
  }
});

test('HOSTILE 46: a body that two parsers could read otherwise is refused', () => {
  const field = `--b|${named}"c"||v|`;
  for (const [body, told] of [
    ['', 'it does not begin with its boundary'],
    [`preamble|${field}--b--|`, 'it does not begin with its boundary'],
    [`||${field}--b--|`, 'it does not begin with its boundary'],
    [`--B|${named}"c"||v|--B--|`, 'it does not begin with its boundary'],
    [`--b |${named}"c"||v|--b--|`, 'a boundary does not end its line'],
    [`${field}--bb|${named}"d"||w|--b--|`, 'a boundary does not end its line'],
    [`${field}--b-`, 'a boundary does not end its line'],
    [field, 'a part does not end'],
    [`--b|${named}"c"||v`, 'a part does not end'],
    [`--b\n${named}"c"\n\nv\n--b--\n`, 'a boundary does not end its line'],
    [`${field}--b--|epilogue`, 'something stands after its last boundary'],
    [`${field}--b--${field}--b--|`, 'something stands after its last boundary'],
    [`--b|${named}"c"|v|--b--|`, 'the headers of a part do not end'],
    ['--b||v|--b--|', 'the headers of a part do not end'],
    [`--b|${named}"c"||--b|--b--|`, 'the headers of a part do not end'],
    ['--b|||v|--b--|', 'a part has a line that is no header'],
    [`--b|${named}"c"| folded||v|--b--|`, 'a part has a line that is no header'],
    [`--b|${named}"c"|a\nb: c||v|--b--|`, 'a part has a line that is no header'],
    [`--b|${named}"c"|a: b\nc||v|--b--|`, 'a part has a line that is no header'],
    [`--b|${named}"c\0"||v|--b--|`, 'a part has a line that is no header'],
    [`--b|${named}"c"|${named}"d"||v|--b--|`, 'a part has two headers content-disposition'],
    [
      `--b|Content-Type: text/plain|${named}"c"|content-type: text/plain||v|--b--|`,
      'a part has two headers content-type',
    ],
    ['--b|Content-Type: text/plain||v|--b--|', 'a part has no name, or more than a name'],
    ['--b|Content-Disposition: form-data||v|--b--|', 'a part has no name, or more than a name'],
    [`--b|${named}"c"; name="d"||v|--b--|`, 'a part has no name, or more than a name'],
    [`--b|${named}"c\\"; name="d"||v|--b--|`, 'a part has no name, or more than a name'],
    [`--b|${named}*=utf-8''c||v|--b--|`, 'a part has no name, or more than a name'],
    [
      '--b|Content-Disposition: attachment; name="c"||v|--b--|',
      'a part has no name, or more than a name',
    ],
  ] as const) {
    assert.throws(() => read(body), new MalformedParameters(told), body);
  }
});

test('HOSTILE 44: a part that is a file, or no plain text, is refused', () => {
  const typed = (type: string): string => `--b|${named}"c"|Content-Type: ${type}||v|--b--|`;
  const file = 'a part is a file, and only fields are read';
  for (const [body, told] of [
    [`--b|${named}"c"; filename="c.txt"||v|--b--|`, file],
    [`--b|${named}"c"; FileName=""||v|--b--|`, file],
    [`--b|${named}"c"; filename*=utf-8''c||v|--b--|`, file],
    ['--b|Content-Disposition: form-data; filename="c"; name="c"||v|--b--|', file],
    [typed('application/octet-stream'), 'a part is no plain text'],
    [typed('application/json'), 'a part is no plain text'],
    [typed('multipart/mixed; boundary=c'), 'a part is no plain text'],
    [typed('text/plain; charset=utf-8; charset=latin1'), 'a part is no plain text'],
    [typed('text/plain; charset="utf-8'), 'a part is no plain text'],
    [typed(''), 'a part is no plain text'],
    [typed('text/plain; charset=utf-16'), 'the charset of a part is not known'],
    [typed('text/plain; charset=x'), 'the charset of a part is not known'],
    [
      `--b|${named}"c"|Content-Transfer-Encoding: base64||dg==|--b--|`,
      'a part is encoded once more (RFC 7578 4.7)',
    ],
  ] as const) {
    assert.throws(() => read(body), new MalformedParameters(told), body);
  }
});

test('HOSTILE 46: headers of a part, and parts, have their bounds', () => {
  const padded = (count: number): string =>
    `--b|X: ${'x'.repeat(count)}|${named}"c"||v|--b--|`.replaceAll('|', '\r\n');
  const most = 1024 - 'X: \r\n\r\n\r\n'.length - named.length - '"c"'.length;
  assert.deepEqual(read(padded(most)), [['c', 'v']]);
  for (const count of [most + 1, 60_000]) {
    assert.throws(() => read(padded(count)), {
      message: 'the headers of a part do not end within 1024 bytes',
    });
  }
  const many = (count: number): string => `${`--b|${named}"a"||v|`.repeat(count)}--b--|`;
  assert.equal(read(many(maxParameters)).length, maxParameters);
  assert.throws(() => read(many(maxParameters + 1)), { message: 'too many parameters' });
});

test('RFC 2046 5.1.1: a boundary that cannot be one is refused', () => {
  const longest = `${'x'.repeat(69)}y`;
  for (const boundary of ["'()+_,-./:=?aZ9", 'a b', longest]) {
    assert.deepEqual(read(`--${boundary}|${named}"c"||v|--${boundary}--|`, boundary), [['c', 'v']]);
  }
  for (const boundary of [undefined, '', 'a ', `${longest}y`, 'a\r\nb', 'a"b', 'a\\b', '\u00e9']) {
    const body = Buffer.from(`--${boundary}\r\n${named}"c"\r\n\r\nv\r\n--${boundary}--\r\n`);
    assert.throws(() => fieldsOf(body, boundary), {
      message: 'its media type has no boundary that can be one',
    });
  }
});

test('G-9: the charset of a part, or else of the media type, or UTF-8, strictly', () => {
  const body = (type: string, value = '\u00e9'): string =>
    `--b|${named}"c"${type}||${value}|--b--|`;
  const latin = '|Content-Type: text/plain; charset=ISO-8859-1';
  assert.deepEqual(read(body('', '\u00c3\u00a9')), [['c', '\u00e9']]);
  assert.deepEqual(read(body(latin)), [['c', '\u00e9']]);
  assert.deepEqual(read(body(''), 'b', 'iso-8859-1'), [['c', '\u00e9']]);
  assert.deepEqual(read(body(latin), 'b', 'utf-8'), [['c', '\u00e9']]);
  for (const [text, charset] of [
    [body('')],
    [body('|Content-Type: text/plain; charset=utf-8'), 'iso-8859-1'],
    [`--b|${named}"\u00e9"||v|--b--|`],
  ]) {
    assert.throws(() => read(text ?? '', 'b', charset), { message: 'the body is not utf-8' });
  }
});

/** The fields by FormData of the platform; undefined if that refuses the body, or one is a file. */
async function byPlatform(
  body: Uint8Array<ArrayBuffer>,
  type = 'multipart/form-data; boundary=b',
): Promise<Fields | undefined> {
  const response = new Response(body, { headers: { 'content-type': type } });
  try {
    // eslint-disable-next-line typescript/no-deprecated -- it is no server that reads it
    const fields = [...(await response.formData())];
    return fields.every((field): field is [string, string] => typeof field[1] === 'string')
      ? fields
      : undefined;
  } catch {
    return undefined;
  }
}

/** The fields by cutting the whole text into pieces; undefined if it is no such body. */
function byPieces(text: string): Fields | undefined {
  const whole = text.startsWith('\r\n') ? text : `\r\n${text}`;
  const [before, ...pieces] = whole.split('\r\n--b');
  const last = pieces.pop();
  if (before !== '' || (last !== '--' && last !== '--\r\n')) return undefined;
  const fields = pieces.map((piece) => {
    const [, head = '', value = ''] = /^\r\n((?:[^\r\n]+\r\n)+)\r\n([^]*)$/.exec(piece) ?? [];
    const lines = head.split('\r\n').slice(0, -1);
    const all = lines.map((line) => /^([\w-]+):[ \t]*(.*?)[ \t]*$/.exec(line) ?? []);
    const under = (name: string): readonly (string | undefined)[] =>
      all.filter(([, key]) => key?.toLowerCase() === name).map(([, , told]) => told);
    const [disposition = '', ...others] = under('content-disposition');
    const [type = 'text/plain', ...types] = under('content-type');
    const [, name] =
      /^form-data *; *name=("[^"\\]*"|[\w!#$%&'*+.^`|~-]+)$/i.exec(disposition) ?? [];
    const isOdd = all.some(([line]) => line === undefined) || others.length + types.length > 0;
    return isOdd || name === undefined || !/^text\/plain$/i.test(type)
      ? undefined
      : ([name.replaceAll('"', ''), value] as const);
  });
  return fields.every((field) => field !== undefined) ? fields : undefined;
}

const fragment = fc.constantFrom(
  '\r\n',
  '--b',
  '--b\r\n',
  '\r\n--b\r\n',
  '\r\n--b--\r\n',
  '--',
  '\n',
  'v',
  'X: y\r\n',
  'Content-Type: text/plain\r\n',
  `${named}"c"\r\n`,
  `${named}"d"\r\n\r\n`,
  `${named}"c"; filename="d"\r\n`,
  `\r\n--b\r\n${named}"c"\r\n\r\n`,
);

/** Bodies that are right but for some fragments that are put in, or taken out. */
const bodies = fc
  .tuple(
    fc.array(fc.constantFrom(`--b|${named}"c"||v|`, `--b|X: y|${named}"d"|||`), { maxLength: 3 }),
    fc.array(fc.tuple(fc.nat(), fc.nat(4), fragment), { maxLength: 2 }),
  )
  .map(([fields, changes]) =>
    changes.reduce(
      (text, [place, gone, put]) => {
        const at = place % (text.length + 1);
        return text.slice(0, at) + put + text.slice(at + gone);
      },
      `${fields.join('')}--b--|`.replaceAll('|', '\r\n'),
    ),
  );

function readOrNone(body: Uint8Array): Fields | undefined {
  try {
    return fieldsOf(body, 'b');
  } catch (error) {
    assert.ok(error instanceof MalformedParameters);
    return undefined;
  }
}

/** Those of one name stand together. */
function byName(fields: Fields | undefined): Fields | undefined {
  return fields && [...Map.groupBy(fields, ([name]) => name).values()].flat();
}

test('property: what is read is what another reading finds, and what is not, it does not find either', async () => {
  const counts = { read: 0, refused: 0, alike: 0 };
  await fc.assert(
    fc.asyncProperty(
      fc.oneof(
        bodies,
        fc.array(fragment).map((all) => all.join('')),
      ),
      async (text) => {
        const body = Buffer.from(text);
        const found = readOrNone(body);
        counts[found === undefined ? 'refused' : 'read'] += 1;
        assert.deepEqual(found, byName(byPieces(text)));
        const others = found && byName(await byPlatform(body));
        if (others === undefined) return;
        counts.alike += 1;
        assert.deepEqual(found, others);
      },
    ),
    { numRuns: 3000 },
  );
  assert.ok(
    Object.values(counts).every((count) => count > 300),
    JSON.stringify(counts),
  );
});

test('property: reads what FormData writes', async () => {
  const field = fc.tuple(
    // The platform reads a byte order mark before a name as none.
    anyText().filter((name) => !/^\uFEFF|[\\\0]/.test(name)),
    anyText(),
  );
  await fc.assert(
    fc.asyncProperty(fc.array(field, { maxLength: 5 }), async (fields) => {
      const form = new FormData();
      for (const [name, value] of fields) form.append(name, value);
      const written = new Response(form);
      const type = written.headers.get('content-type') ?? '';
      const body = new Uint8Array(await written.arrayBuffer());
      const [, boundary] = /boundary=(.*)$/.exec(type) ?? [];
      assert.deepEqual(fieldsOf(body, boundary), byName(await byPlatform(body, type)));
    }),
  );
});
