// Owns `jetway man`: the manual page jetway(1) in man(7), made from the rows of the verbs.

import { exitMeanings } from '../../server/exit.ts';
import { version, versionDate } from '../../server/version.ts';
import { exitsOf, optionsOf, type Verb } from '../grammar/grammar.ts';
import { type OptionSpec } from '../grammar/options.ts';

const files: readonly (readonly [path: string, text: string])[] = [
  ['./config.yaml', 'the configuration, unless --config or JETWAY_CONFIG names another one'],
  ['/etc/jetway/config.yaml', 'the configuration of an installed package'],
  ['/etc/jetway/programmes/*.yaml', 'its programmes, a file each'],
  ['/var/lib/jetway', 'its store, with the master key'],
  [
    '/usr/share/doc/jetway/docs',
    'all pages: handbook/README.md by task, reference.md by topic, and others that they name',
  ],
];

/** The whole page. */
export function manPage(verbs: readonly Verb[], description: string): string {
  const exits = Object.entries(exitMeanings).flatMap(([code, meaning]) => item(code, meaning));
  return [
    `.TH JETWAY 1 "${versionDate() ?? ''}" "jetway ${version()}" "User Commands"`,
    '.SH NAME',
    `jetway \\- ${escape(description)}`,
    '.SH SYNOPSIS',
    '.B jetway',
    '.I verb',
    '.RI [ options ]',
    '.SH VERBS',
    ...verbs.flatMap(verbSection),
    '.SH EXIT STATUS',
    ...exits,
    '.SH ENVIRONMENT',
    ...item('JETWAY_CONFIG', 'the configuration file, where --config does not name it'),
    '.SH FILES',
    ...files.flatMap(([path, text]) => item(path, text)),
  ].join('\n');
}

function verbSection(verb: Verb): readonly string[] {
  const { words, summary, details, operands = [], exits = {}, example } = verb;
  const usage = ['jetway', words, ...operands.map(([name]) => name), '[options]'].join(' ');
  const options = optionsOf(verb).flatMap((spec) => item(spec.flags, textOf(spec)));
  const own = exitsOf(verb).filter(([code]) => exits[code] !== undefined);
  return [
    `.SS ${escape(usage)}`,
    sentence(summary),
    ...(details === undefined ? [] : ['.PP', escape(details)]),
    ...operands.flatMap(([name, text]) => item(name, text)),
    ...options,
    ...own.flatMap(([code, meaning]) => item(`exit status ${code}`, meaning)),
    '.PP',
    'Example:',
    '.PP',
    '.nf',
    `.RS 4\n${escape(example)}\n.RE`,
    '.fi',
  ];
}

function textOf({ description, required, default: usual, choices, variable }: OptionSpec): string {
  const notes = [
    ...(required === true ? ['required'] : []),
    ...(choices === undefined ? [] : [`choices: ${choices.join(', ')}`]),
    ...(usual === undefined ? [] : [`default: ${usual}`]),
    ...(variable === undefined ? [] : [`environment: ${variable}`]),
  ];
  return notes.length === 0 ? description : `${description} (${notes.join('; ')})`;
}

function item(term: string, text: string): readonly string[] {
  return ['.TP', `.B ${escape(term)}`, escape(text)];
}

function sentence(text: string): string {
  return `${escape(text.charAt(0).toUpperCase() + text.slice(1))}.`;
}

/** `-` alone is a hyphen, which cannot be pasted; `.` and `'` begin a request. */
function escape(text: string): string {
  return text
    .replaceAll('\\', '\\e')
    .replaceAll('-', '\\-')
    .replaceAll(/^(?=[.'])/gm, '\\&');
}
