// Owns wire transcripts as text: settings, then exchanges of a request and the answer it must get.
//
//   client = partner-1 hush             the partner that the transcript is about, and its secret; {username},
//                                       {password} (as in a form) and {subject} are those of its member
//   level = AUTHN-LEVEL-12              of the member, as are `membership_number`, `subject` and `member.tier`
//   client.tenant = north | south       a property of it, of one value or several
//   client other = partner-2 hush       another partner, {other} and {other_basic}; at the end
//                                       `roles=member,partner` (`roles=` for none), `disabled`,
//                                       `public` (no secret counts), `redirect=com.example.app:/cb` or
//                                       `throttle=5/60` (requests in seconds), `context=Cars`,
//                                       `key=…` (its API key), `.plan=gold` (a property), `jwks=ES256`,
//                                       `origin=https://app.example` (of its pages)
//   member bob = bobs-password          another member: `number=`, `level=`, `subject=`, `.tier=` and `of=`
//                                       `of=gold-club` is at the programme beside (transcript_file.ts)
//   look code = [0-9a-f]{64}            what {code} and {code_…} look like at first sight
//   gateway = gateway-1 hush            a gateway, {gateway_basic}; `gateway gold = gateway-1 hush of=gold-club`,
//                                       {gold_basic}, another
//   signing = old-secret,new-secret     its signing secrets; another partner's by the mark `signing=…`
//   jwks = ES256                        it has a key, with which `<jwt iss={client} exp=+60 sub:=[7]>` (after
//                                       `:=` JSON) is signed; `<forged iss=…>` is signed with another
//   public_url = https://club.example   what the service is called
//   proxies = 127.0.0.1/32              whom the server believes what they say of addresses
//   environment = live                  `staging` unless said
//   nodes = 2                           servers over one store file, which requests go to in turns
//   /club/token sends Accept: */*       a header of every POST that begins with that path, or one of several;
//                                       `{none}` for a usual header that is not sent
//
//   == refresh_token: with new tokens   an exchange, told in words
//   after 60 seconds                    the clock moves first, if it says so
//   POST /club/token                    LOGIN GET /club/login: a member's whole way through the page, as
//                                       another after `username=bob&password=x`; LOGIN POST /club/login
//                                       and a body: one that begins with a form; JWT /club {token}: its
//                                       header and claims to a resource server; CLAIMS {token}: unproven
//   Content-Type: application/xml       a form and JSON are sent, and answered, as that unless said
//
//   {"refresh":"{refresh_token}"}       {name} stands for a setting or what an earlier answer held
//   --- 200
//
//   {"token":"{access_token_2}"}        in an answer, an unused name takes what stands there
//
// What is said often has a name: `define` in the head, `do` and `--- name` below (definitions.ts).
//
// Most exchanges are short: title, what happens before, request, headers in brackets and answer share lines as far as
// they fit (short.ts). A body begins after the target or the status and goes on in the lines below that are no
// headers; of a redirect it is the Location.
//
//   == a used code: after 60 seconds; POST /club/token code={code} [X-Key: k] --- 400 {"error":"no"}
//
// A request with {=a|b|c} is sent once with each, and each gets the answer, with {=*20} twenty times; {new} in
// it stands for a value of its own each time, {any} in an answer for whatever stands there, {rest} for that
// with quotes, {x*512} for 512 of it. A usual header of an answer that is not there is `{none}`. A header of a request can have
// `<base64 {client}:wrong>` in it, or `<latin1 …>` for base64 of ISO-8859-1. A header `no Accept` leaves out
// what the path sends. The lines of a body are joined, so that a long one can be read; {newline} stands for
// one that stays. So is a header with the lines after it that begin with `&`; in an answer the last
// line of a name counts, so that it can differ from what is defined. A value in quotes, of a setting
// or a mark, is text as in JSON. Of a page the body is what it says: its heading, then its texts, with ` | ` in between.
//
// `RAW GET /club/verify/member HTTP/1.1` is sent to the byte, of ISO-8859-1, with the lines after it; `Host` and
// `Connection: close` are added, but for `no Host`.
//
//   now {other} disabled                before a request: `active`, `disabled` or `roles=member,partner`
//                                       of a client or a gateway, `revoked` all tokens, `removed` (a
//                                       gateway); `secrets=one,other~60` (for a minute), `key=…`;
//                                       `now member disabled revoked removed number=…
//                                       .tier=… of=gold-club`; `now store fails spendCode
//                                       find_client` (an outage), `breaks` (a crash), `heals`, and
//                                       `sweeps` what is over
//   now server restarts                 over the same store file; with the YAML in indented lines below it, or
//                                       of one line after `with`, laid over the file that it began with
//   &&                                  between two requests: both are sent at once; between their
//                                       answers: each is that of one of the two, whichever it is
//   log: "reason":"invalid_code"        after an answer: stands in a line of the log that it caused; `log: none` if
//                                       no event did
//   why: invalid_code | grant | …       what `jetway why` tells of it (why.ts)

import { definitionsOf, expanded } from './definitions.ts';
import { writtenOut } from './short.ts';

export interface Exchange {
  readonly title: string;
  /** Seconds that pass before it. */
  readonly pause: number;
  /** What becomes of clients and the member before it, in order. */
  readonly changes: readonly Change[];
  /** Several are sent at once, and the answers of all are those of all in any order. */
  readonly asked: readonly Asked[];
  /** Texts that must each stand in a line of the log that it caused. */
  readonly log: readonly string[];
  /** What `why` tells of it. */
  readonly why: string | undefined;
}

export interface Asked {
  /** Usual headers, by lower-case name, that the request does without. */
  readonly without: readonly string[];
  readonly request: Message;
  readonly answer: Message;
}

export interface Change {
  /** A client's or gateway's identifier, or a name in braces that stands for it; `member`; `store`. */
  readonly whose: string;
  readonly marks: readonly string[];
  /** YAML of a server that restarts. */
  readonly over: string;
}

/** A request with its method and target, or an answer with its status, in the first line. */
export interface Message {
  readonly start: string;
  /** By lower-case name. */
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
}

/** A member beside the one that the transcript is about. */
export interface OtherMember {
  readonly name: string;
  readonly password: string;
  readonly marks: readonly string[];
}

/** A partner beside the one that the transcript is about, or a gateway. */
export interface OtherClient {
  readonly name: string;
  readonly id: string;
  readonly secret: string;
  /** As after its identifier and secret: `roles=…`, `disabled`, `public`, `redirect=…`, `of=…`. */
  readonly marks: readonly string[];
}

export interface Transcript {
  readonly settings: Readonly<Record<string, string>>;
  readonly others: readonly OtherClient[];
  readonly gateways: readonly OtherClient[];
  readonly members: readonly OtherMember[];
  /** What a name takes at first sight, by the name or its beginning up to `_`. */
  readonly looks: Readonly<Record<string, string>>;
  /** Headers of every POST whose target begins with the path. */
  readonly usual: readonly (readonly [path: string, name: string, value: string])[];
  readonly exchanges: readonly Exchange[];
}

/** Reads a transcript; throws on what is not one. */
export function parseTranscript(text: string): Transcript {
  const whole = writtenOut(text);
  const begin = whole.search(/^== /m);
  const own = definitionsOf(begin < 0 ? whole : whole.slice(0, begin));
  const told = begin < 0 ? '' : expanded(whole.slice(begin), own.defined);
  const [head = '', ...rest] = `${own.head}${told}`
    .replaceAll(/\{=\*(\d+)\}/g, (_, times: string) => `{=${'|'.repeat(Number(times) - 1)}}`)
    .replaceAll(/\{([^{}=|*]+)\*(\d+)\}/g, (_, part: string, times: string) =>
      part.repeat(Number(times)),
    )
    .split(/^== /m);
  const lines = head
    .split('\n')
    .filter((line) => line !== '' && !/^(?:#| |over:$|beside )/.test(line));
  const sending = lines.filter((line) => line.includes(' sends '));
  const named = lines.filter((line) => !sending.includes(line)).map((line) => splitAt(line, ' = '));
  return {
    settings: Object.fromEntries<string>(
      named.filter(([name]) => !name.includes(' ')).flatMap(settingsOf),
    ),
    others: othersIn(named, 'client '),
    gateways: othersIn(named, 'gateway '),
    members: ofKind(named, 'member ').map(([name, value]) => {
      const [password = '', ...marks] = wordsOf(value);
      return { name, password, marks };
    }),
    looks: Object.fromEntries<string>(ofKind(named, 'look ')),
    usual: sending.flatMap((line) => {
      const [paths, header] = splitAt(line, ' sends ');
      const [name, value] = splitAt(header, ': ');
      return paths.split(' ').map((path) => [path, name.toLowerCase(), value] as const);
    }),
    exchanges: rest.map(parseExchange),
  };
}

type Named = readonly (readonly [name: string, value: string])[];

/** The lines whose names begin with the word, without it. */
function ofKind(named: Named, word: string): Named {
  return named
    .filter(([name]) => name.startsWith(word))
    .map(([name, value]) => [name.slice(word.length), value]);
}

function othersIn(named: Named, word: string): readonly OtherClient[] {
  return ofKind(named, word).map(([name, value]) => {
    const [id = '', secret = '', ...marks] = wordsOf(value);
    return { name, id, secret, marks };
  });
}

/** A client's or gateway's secret stands after its identifier. */
function settingsOf([name, value]: Named[number]): Named {
  if (name !== 'client' && name !== 'gateway') {
    return [[name, value.startsWith('"') ? unquoted(value) : value]];
  }
  const [id = '', secret = ''] = wordsOf(value);
  const own = [name, id] as const;
  return secret === '' ? [own] : [own, [name === 'client' ? 'secret' : 'gateway_secret', secret]];
}

/** The request once with each of its `{=a|b}`; all combinations where there are several. */
export function spelledOut(message: Message): readonly Message[] {
  const text = JSON.stringify(message);
  const [all, choices] = /\{=((?:[^{}]|\{[^{}]*\})*)\}/.exec(text) ?? [];
  if (all === undefined || choices === undefined) return [message];
  return choices
    .split('|')
    .flatMap((choice) => spelledOut(JSON.parse(text.replace(all, () => choice)) as Message));
}

function parseExchange(text: string): Exchange {
  const [title = '', ...rest] = text.trimEnd().split('\n');
  const begin = rest.findIndex((line) => !/^(?:after |now | )/.test(line));
  const before = rest.slice(0, begin);
  const lines = rest.slice(begin);
  const divider = lines.findIndex((line) => /^---(?: |$)/.test(line));
  if (divider < 0) throw new Error(`no answer follows: ${title}`);
  const short = lines[divider]?.slice('--- '.length) ?? '';
  const told = [...(short === '' ? [] : [short]), ...lines.slice(divider + 1)];
  const log = told.filter((line) => line.startsWith('log: '));
  const why = told.find((line) => line.startsWith('why: '));
  const answers = atOnce(told.filter((line) => !log.includes(line) && line !== why)).map(
    ([first = '', ...more]) => [first.replace(/^--- /, ''), ...more],
  );
  const asked = atOnce(lines.slice(0, divider)).map((one, index) => {
    const without = one.filter((line) => /^no [A-Z][\w-]+$/.test(line));
    return {
      without: without.map((line) => line.slice('no '.length).toLowerCase()),
      request: parseRequest(
        one.filter((line) => !without.includes(line)),
        without,
      ),
      answer: parseAnswer(answers[index] ?? []),
    };
  });
  if (asked.length !== answers.length) throw new Error(`other answers than requests: ${title}`);
  return {
    title,
    pause: before
      .flatMap((line) => /^after (-?[\d.]+) seconds$/.exec(line)?.[1] ?? [])
      .reduce((sum, part) => sum + Number(part), 0),
    changes: before
      .filter((line) => line.startsWith('now '))
      .map((line) => parseChange(line, before)),
    asked,
    log: log.map((line) => line.slice('log: '.length)),
    why: why?.slice('why: '.length),
  };
}

function parseChange(line: string, before: readonly string[]): Change {
  const [, whose = '', ...marks] = wordsOf(line);
  const yaml = whose === 'server' ? before.filter((one) => one.startsWith('  ')) : [];
  return { whose, marks, over: yaml.map((one) => `${one.slice(2)}\n`).join('') };
}

/** The words of a line; what stands in quotes is one, or belongs to one. */
function wordsOf(line: string): readonly string[] {
  return (line.match(/(?:"(?:[^"\\]|\\.)*"|[^\s"])+/g) ?? []).map(unquoted);
}

function unquoted(text: string): string {
  return text.replaceAll(/"(?:[^"\\]|\\.)*"/g, (quoted) => JSON.parse(quoted) as string);
}

/** The lines of each request or answer of those that `&&` ties together. */
function atOnce(lines: readonly string[]): readonly (readonly string[])[] {
  const at = lines.indexOf('&&');
  return at < 0 ? [lines] : [lines.slice(0, at), ...atOnce(lines.slice(at + 1))];
}

/** A raw one is its bytes, as the body. */
function parseRequest(lines: readonly string[], without: readonly string[]): Message {
  const [first = '', ...more] = lines;
  if (!first.startsWith('RAW ')) {
    return parseMessage(lines, /^((?:LOGIN )?(?!LOGIN)[A-Z]+ \S+) (.*)$/);
  }
  const added = ['Host: x', 'Connection: close'].filter(
    (line) => !without.includes(`no ${line.replace(/:.*/, '')}`),
  );
  const head = more.includes('') ? more : [...more, '', ''];
  const bytes = [first.slice('RAW '.length), ...added, ...head].join('\r\n');
  return { start: 'RAW', headers: {}, body: bytes };
}

function parseAnswer(lines: readonly string[]): Message {
  const { headers, ...message } = parseMessage(lines, /^(\d+) (.*)$/);
  const last = Object.entries(headers).map(([name, value]) => [name, value.replace(/^[^]*\n/, '')]);
  const own = Object.fromEntries(last) as Message['headers'];
  const { start, body } = message;
  const isRedirect = start.startsWith('3') && body !== '';
  if (isRedirect) return { start, headers: { location: body, ...own }, body: '' };
  return { start, headers: { ...usualType(body), ...own }, body };
}

/** The type of a body that says none, by how it begins: a form or JSON. */
export function usualType(body: string): Message['headers'] {
  if (/^[\w.-]+=/.test(body)) return { 'content-type': 'application/x-www-form-urlencoded' };
  return /^(?:\{["}]|\[)/.test(body) ? { 'content-type': 'application/json' } : {};
}

function parseMessage(lines: readonly string[], withBody: RegExp): Message {
  const [first = '', ...rest] = lines;
  const [, start = first, short] = withBody.exec(first) ?? [];
  const blank = rest.indexOf('');
  const above = blank < 0 ? rest : rest.slice(0, blank);
  // A body that begins in the first line goes on in all lines that are no header.
  const more =
    short === undefined
      ? []
      : above.filter((line) => !/^(?:[\w-]|\{=[\w|-]+\})+:(?: |$)/.test(line));
  const headers = above
    .filter((line) => !more.includes(line))
    .join('\n')
    .replaceAll('\n&', '&')
    .split('\n')
    .filter((line) => line !== '');
  const named = headers.map((line) => splitAt(line.replace(/:$/, ': '), ': '));
  return {
    start,
    headers: withLines(named),
    body: [short ?? '', ...more, ...(blank < 0 ? [] : rest.slice(blank + 1))].join(''),
  };
}

/** By lower-case name; the values of several lines of one name in as many lines. */
function withLines(named: readonly (readonly [string, string])[]): Message['headers'] {
  const lines = Map.groupBy(named, ([name]) => name.toLowerCase());
  const values = [...lines].map(([name, some]) => [
    name,
    some.map(([, value]) => value).join('\n'),
  ]);
  return Object.fromEntries(values) as Message['headers'];
}

function splitAt(line: string, separator: string): readonly [string, string] {
  const at = line.indexOf(separator);
  if (at < 0) throw new Error(`expected "${separator}" in: ${line}`);
  return [line.slice(0, at), line.slice(at + separator.length)];
}
