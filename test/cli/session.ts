// Owns sessions: what is typed at a shell and what it prints, as text (test/cli/**/*.session).
//
//   === a test, by its name             it has a folder of its own, with a configuration and the programme club
//   @ programme Plain                   a quiet programme more, in programmes/plain.yaml unless a path follows;
//                                       indented lines are added to its text
//     revocation: { path: /revoke }
//   @ shipped second-club               the shipped programme, without its logo
//   @ config live.yaml                 the usual configuration with indented lines added, where no path
//                                       follows in config.yaml; a key that is there already is replaced
//   @ file clients.csv                  a file of the folder, its owner's alone, from indented lines
//     client_id,name
//   @ again file clients.csv            the same as the step of the file before that begins so
//   @ after 31 days                     the clock moves for the commands below (seconds, hours or days)
//   $ jetway client show {client}       a command; quotes as in a shell; others than jetway are run by one
//   $ jetway client add … >/dev/null    what it prints is not looked at, but for its errors; with `| true` nobody
//                                       reads it, and it ends when it writes; `$ until jetway …` is repeated
//                                       until it prints that
//   $ jetway client show nobody [exit 2]   its exit code, where that is not 0
//   < correct horse                     a line of its standard input; \u{200b} there, in a command and in a file
//                                       is that character, \u{78*200} 200 of it
//   client {client} of club             what it prints; {names} are bound at first sight and must be equal later; JSON
//                                       is filled into lines here, and so is a sheet of values with `|` between
//   2> warning: …                       what it prints to standard error
//   @ serve                             a server of the folder beside the commands below, {url}, {admin} and
//                                       {gateway}; flags follow. The clock moves for it, too. `@ stop`: SIGTERM
//   > GET /club/verify/none [X-Api-Key: {key}] --- 401
//                                       a request to the newest server, as in a transcript (transcript.ts), or
//                                       to `{gateway}/…`; `> until GET …` is repeated until the answer is that.
//                                       What `> do` stands for may be several
//
// Above the first test `define own $1 = POST /club/api/grant …` is what `> do own {secret} --- 200` stands for.
//
// {time} stands for any time, {time_made} for one that is bound, {any} for whatever stands there, {folder} for the test's. `node test/cli/sessions.test.ts --update`
// writes what is printed now; what is known or looks random gets a name.

import { spawnSync } from 'node:child_process';
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs';
import { dirname, join } from 'node:path';
import type { TestContext } from 'node:test';

import { instant } from '../../src/lib/clock.ts';
import { jsonHeaders } from '../support/club.ts';
import { Bindings } from '../support/transcript/bindings.ts';
import { type Definitions, definitionsOf, expanded } from '../support/transcript/definitions.ts';
import { answersOf } from '../support/transcript/play.ts';
import { writtenOut } from '../support/transcript/short.ts';
import { type Asked, type Exchange, parseTranscript } from '../support/transcript/transcript.ts';
import { patience, until } from '../support/until.ts';
import type { Answer } from '../support/wire.ts';
import {
  configText,
  environment,
  jetway,
  jetwayUnread,
  programmeText,
  type Ran,
  root,
  workFolder,
} from './command.ts';
import { printed } from './printed.ts';
import { type ServerProcess, startServer } from './server.ts';

/** A line that a test begins with, or a step of it, with the lines that belong to it. */
export interface Step {
  readonly line: string;
  readonly below: readonly string[];
}

export interface Session {
  readonly name: string;
  readonly steps: readonly Step[];
}

export interface SessionFile {
  /** What it is about, and its definitions. */
  readonly head: string;
  readonly defined: Definitions;
  readonly sessions: readonly Session[];
}

export function parseSessions(text: string): SessionFile {
  const [head = '', ...tests] = text.split(/^=== /m);
  const { defined } = definitionsOf(writtenOut(head));
  const prepared = new Map<string, readonly string[]>();
  return { head, defined, sessions: tests.map((test) => parseSession(test, prepared)) };
}

/** @param prepared what the steps of the file before had below them, by their lines */
function parseSession(text: string, prepared: Map<string, readonly string[]>): Session {
  const [first = '', ...steps] = text.trimEnd().split(/\n(?=[$@>] )/);
  const [name = '', ...more] = first.split('\n');
  if (more.some((line) => line !== '')) throw new Error(`no command, yet output: ${name}`);
  const parsed = steps.map((step) => {
    const [line = '', ...below] = step.trimEnd().split('\n');
    const known = line.replace(/^@ again /, '@ ');
    if (known === line) prepared.set(line, below);
    return { line, below: known === line ? below : (prepared.get(known) ?? fail(line)) };
  });
  return { name, steps: parsed };
}

function fail(line: string): never {
  throw new Error(`no step before is like: ${line}`);
}

/** A step that was played: what came of a command, where it differs from what was said. */
export interface PlayedStep {
  readonly said: string;
  /** What it printed, with the names of `said` and of those before filled in where they fit. */
  readonly expected: string;
  readonly actual: string;
  /** The step as it would have to stand. */
  readonly now: Step;
}

interface Stage {
  readonly test: TestContext;
  readonly folder: string;
  readonly bindings: Bindings;
  readonly defined: Definitions;
  /** The newest is the last. */
  readonly servers: ServerProcess[];
  /** Seconds. */
  passed: number;
}

/** Plays a session in a folder of its own; a list of its steps, commands and others. */
export async function playSession(
  t: TestContext,
  { steps }: Session,
  defined: Definitions = new Map(),
): Promise<readonly PlayedStep[]> {
  const folder = workFolder(t);
  const bindings = new Bindings({ folder });
  const stage: Stage = { test: t, folder, bindings, defined, servers: [], passed: 0 };
  const played: PlayedStep[] = [];
  for (const step of steps) {
    if (step.line.startsWith('$ ')) played.push(await playCommand(stage, step));
    else if (step.line.startsWith('> ')) played.push(await playRequest(stage, step));
    else {
      const line = spelledOut(step.line.replace(/^@ again /, '@ '));
      const [, verb = '', ...words] = wordsOf(bindings.fill(line));
      await prepare(stage, verb, words, step.below);
      played.push({ said: step.line, expected: '', actual: '', now: step });
    }
  }
  return played;
}

async function playCommand({ folder, bindings, passed }: Stage, step: Step): Promise<PlayedStep> {
  const [, typedLine = '', exit = '0'] = /^(.*?)(?: \[exit (\d+)\])?$/.exec(step.line) ?? [];
  const input = step.below.filter((line) => line.startsWith('< '));
  const told = step.below.slice(input.length).join('\n');
  const typed = bindings.fill(input.map((line) => `${spelledOut(line.slice(2))}\n`).join(''));
  const [, repeated, command = ''] = /^\$ (until )?([^]*)$/.exec(typedLine) ?? [];
  const end = performance.now() + patience;
  const again = (): Promise<Ran> => run(folder, bindings.fill(spelledOut(command)), typed, passed);
  let ran = await again();
  const isOver = (): boolean =>
    repeated === undefined ||
    bindings.copy().match(told, printed(ran, folder)) === printed(ran, folder);
  while (!isOver()) {
    if (performance.now() > end) throw new Error(`${step.line}\n${printed(ran, folder)}`);
    ran = await again();
  }
  const actual = printed(ran, folder);
  const named = rewritten(told, actual, bindings.copy());
  const expected = bindings.match(told, actual);
  const below = [...input, ...(named === '' ? [] : named.split('\n'))];
  if (expected !== actual) bindings.match(named, actual);
  const line = ran.code === 0 ? typedLine : `${typedLine} [exit ${ran.code}]`;
  const isExit = Number(exit) === ran.code;
  const withExit = (text: string, code: number | string | null): string =>
    isExit ? text : `${text}\n[exit ${code}]`;
  return {
    said: step.line,
    expected: withExit(expected, exit),
    actual: withExit(actual, ran.code),
    now: { line, below },
  };
}

async function playRequest(stage: Stage, step: Step): Promise<PlayedStep> {
  const { bindings } = stage;
  const [, repeated, first = ''] = /^> (until )?(.*)$/.exec(step.line) ?? [];
  const text = expanded(writtenOut([first, ...step.below].join('\n')), stage.defined);
  const { exchanges } = parseTranscript(text.startsWith('== ') ? text : `== a request\n${text}`);
  const asked = exchanges.map(onlyAsked);
  if (repeated !== undefined) {
    let came: readonly Pair[] = [];
    await until(
      async () => {
        came = await answers(stage, asked, bindings.copy());
        return came.every(isSame);
      },
      () => `${step.line}\n${came.flat().join('\n')}`,
    );
  }
  const pairs = await answers(stage, asked, bindings);
  const [told] = pairs.find((pair) => !isSame(pair)) ?? [];
  const kept = [step.line, ...step.below].map((line) => line.replace(/ ?--- .*$/, ''));
  const [line = '', ...below] = kept.filter((one) => one !== '');
  const now = { line, below: [...below, ...withNames(told ?? '', bindings).split('\n')] };
  return {
    said: step.line,
    expected: pairs.map(([, expected]) => expected).join('\n'),
    actual: pairs.map(([actual]) => actual).join('\n'),
    now: told === undefined || asked.length > 1 ? step : now,
  };
}

/** What else a transcript can say of an exchange would be left out here, and hold whatever the server does. */
function onlyAsked({ title, pause, changes, asked, log, why }: Exchange): Asked {
  const [one, ...others] = asked;
  const more = [...changes, ...others, ...log, ...(why === undefined ? [] : [why])];
  if (one === undefined || pause !== 0 || more.length > 0) {
    throw new Error(`a session says of a request what it answers, and nothing else: ${title}`);
  }
  return one;
}

type Pair = readonly [actual: string, expected: string];

function isSame([actual, expected]: Pair): boolean {
  return actual === expected;
}

/** What the newest server, or that of a target in full, answers, beside what it must; in order. */
async function answers(
  { servers, passed }: Stage,
  asked: readonly Asked[],
  bindings: Bindings,
): Promise<readonly Pair[]> {
  const pairs: Pair[] = [];
  for (const one of asked) {
    const [, method = '', url = servers.at(-1)?.url ?? '', target = ''] =
      /^((?:LOGIN )?[A-Z]+ )(https?:\/\/[^/]+)?(.*)$/.exec(bindings.fill(one.request.start)) ?? [];
    const request = { ...one.request, start: method + target };
    const server = { url, clock: { now: () => instant(Date.now() + passed * 1000) } };
    const found = await answersOf(server, { ...one, request }, bindings, usualMember);
    pairs.push(
      ...found.map(([actual, expected]): Pair => [answerText(actual), answerText(expected)]),
    );
  }
  return pairs;
}

/** Whom the login page of a session meets, unless it says otherwise. */
const usualMember = { username: 'ann', password: 'correct horse battery staple', subject: '' };

/** As a transcript would say it. */
function answerText({ status, headers, body }: Answer): string {
  const usual: Readonly<Record<string, string>> = jsonHeaders;
  const own = Object.entries(headers).filter(([name, value]) => usual[name] !== value);
  const none = Object.keys(usual).filter((name) => !(name in headers));
  return [
    `--- ${status} ${body}`.trimEnd(),
    ...own.map(([name, value]) => `${name}: ${value}`).toSorted(),
    ...none.map((name) => `${name}: {none}`),
  ].join('\n');
}

/** The file again, with the steps of its sessions as they were played. */
export function formatSessions(
  head: string,
  played: readonly (readonly [name: string, steps: readonly Step[]])[],
): string {
  const sessions = played.map(([name, steps]) => {
    const texts = steps.map(({ line, below }) =>
      [line, ...(line.startsWith('@ again ') ? [] : below)].join('\n'),
    );
    return `=== ${name}\n${texts.join('\n')}\n`;
  });
  return head + sessions.join('\n');
}

/** The text with characters that cannot be seen, are easily taken for others, or come very often. */
function spelledOut(text: string): string {
  return text.replaceAll(/\\u\{([\da-f]+)(?:\*(\d+))?\}/g, (_, code: string, times = '1') =>
    String.fromCodePoint(Number.parseInt(code, 16)).repeat(Number(times)),
  );
}

/** The words of a line, without their quotes. */
function wordsOf(line: string): readonly string[] {
  const words = line.match(/(?:"[^"]*"|'[^']*'|[^\s'"])+/g) ?? [];
  return words.map((word) => word.replaceAll(/"([^"]*)"|'([^']*)'/g, '$1$2'));
}

const unitSeconds: Readonly<Record<string, number>> = { seconds: 1, hours: 3600, days: 86_400 };

/** Sees to what is there before the next command or request. */
async function prepare(
  stage: Stage,
  verb: string,
  words: readonly string[],
  below: readonly string[],
): Promise<void> {
  const { folder, servers, bindings } = stage;
  const [first = '', second = ''] = words;
  if (verb === 'serve') {
    const server = await startServer(stage.test, folder, { passed: stage.passed, args: words });
    for (const name of ['url', 'admin', 'gateway'] as const) bindings.add(name, server[name]);
    servers.push(server);
    return;
  }
  if (verb === 'stop') {
    const code = await servers.pop()?.end('SIGTERM');
    if (code !== 0) throw new Error(`the server ended with ${code}`);
    return;
  }
  if (verb === 'after') {
    const seconds = Number(first) * (unitSeconds[second] ?? Number.NaN);
    stage.passed += seconds;
    for (const server of servers) await server.advance(seconds);
    return;
  }
  const text = below.map((line) => `${spelledOut(line.slice(2))}\n`).join('');
  for (const [path, content] of Object.entries(filesOf(verb, words, text))) {
    mkdirSync(dirname(join(folder, path)), { recursive: true });
    writeFileSync(join(folder, path), content, { mode: 0o600 });
  }
}

/** The files that a line of a session writes, by path. */
function filesOf(
  verb: string,
  [first = '', second = '']: readonly string[],
  text: string,
): Readonly<Record<string, string>> {
  const programme = second === '' ? `programmes/${first.toLowerCase()}.yaml` : second;
  if (verb === 'file') return { [first]: text };
  if (verb === 'programme') return { [programme]: programmeText(first, text) };
  if (verb === 'config') return { [first === '' ? 'config.yaml' : first]: configWith(text) };
  if (verb !== 'shipped') throw new Error(`a session cannot prepare: ${verb}`);
  const shipped = readFileSync(join(root, programme), 'utf8');
  return { [programme]: shipped.replace(/^ {2}logo: .*\n/m, '') };
}

/** The usual configuration, with a line of each other key, or in its place. */
function configWith(more: string): string {
  const replaced = new Set(more.match(/^\w+:/gm));
  const left = configText.split('\n').filter((line) => !replaced.has(line.replace(/:.*$/, ':')));
  return left.join('\n') + more;
}

async function run(folder: string, line: string, input: string, passed: number): Promise<Ran> {
  if (!line.startsWith('jetway ')) {
    const { status, stdout, stderr } = spawnSync('sh', ['-c', line], {
      cwd: folder,
      env: { ...environment, LC_ALL: 'C' },
      encoding: 'utf8',
    });
    return { code: status, stdout, stderr };
  }
  const [, shown = '', end] = /^jetway ([^]*?)(?: (>\/dev\/null|\| true))?$/.exec(line) ?? [];
  const words = wordsOf(shown);
  if (end === '| true') return { ...(await jetwayUnread(folder, words)), stdout: '' };
  const ran = await jetway(folder, words, input, passed === 0 ? {} : { passed });
  return end === undefined ? ran : { ...ran, stdout: '' };
}

/** The lines that were printed: as they were said where they still fit, else with names for what varies. */
function rewritten(told: string, actual: string, bindings: Bindings): string {
  const said = told.split('\n');
  const lines = actual.split('\n').map((line) => {
    const at = said.findIndex((one) => bindings.copy().match(one, line) === line);
    const [fitting] = at < 0 ? [] : said.splice(at, 1);
    const text = fitting ?? withNames(line, bindings);
    bindings.match(text, line);
    return text;
  });
  return lines.join('\n');
}

/** What is random, by its look. */
const random: readonly (readonly [string, RegExp])[] = [
  ['{any}', /(?<= (?:user|uid|host|pid|run)=)\S+/g],
  ['{time}', /\b\d{4}-\d\d-\d\dT\d\d:\d\d:\d\d(?:\.\d+)?Z/g],
  ['api_key', /\bjw_[a-z]+_[\w-]{43}(?![\w-])/g],
  ['gateway', /\bgateway-[0-9a-f]{12}\b/g],
  ['secret', /(?<![\w-])[\w-]{43}(?![\w-])/g],
  ['subject', /(?<![\w-])(?=[\w-]*[A-Z0-9])[\w-]{22}(?![\w-])/g],
];

function withNames(line: string, bindings: Bindings): string {
  let text = line;
  for (const [name, value] of bindings.values) {
    if (value.length >= 6) text = text.replaceAll(value, `{${name}}`);
  }
  for (const [name, look] of random) {
    text = text.replaceAll(look, (value) =>
      name.startsWith('{') ? name : `{${bindings.add(name, value)}}`,
    );
  }
  return text;
}
