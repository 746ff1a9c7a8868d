// Owns `jetway completion`: scripts that complete verbs, options and their values in bash, zsh and fish,
// made from the rows of the verbs. Nothing is run while a line is completed.

import { optionsOf, type Verb } from '../grammar/grammar.ts';
import { type OptionSpec } from '../grammar/options.ts';

/** A word that may come next, and what is said of it. */
interface Word {
  readonly word: string;
  readonly text: string;
}

/** What may stand for a value: the name of a file, a text of one's own, or one of these. */
type Values = 'file' | 'text' | readonly string[];

interface Flag extends Word {
  /** Absent for a flag without a value. */
  readonly values?: Values;
}

interface Line {
  /** The verb. */
  readonly words: readonly string[];
  readonly flags: readonly Flag[];
  readonly operands: Values;
}

interface Tree {
  /** What may come after `jetway`, and after the name of each group. */
  readonly next: readonly { readonly after: readonly string[]; readonly words: readonly Word[] }[];
  readonly lines: readonly Line[];
}

const writers = { bash, zsh, fish } as const;
export type Shell = keyof typeof writers;
export const shells: readonly Shell[] = ['bash', 'zsh', 'fish'];

/** @param groups the first words of verbs with two words, and their descriptions */
export function completionScript(
  shell: Shell,
  verbs: readonly Verb[],
  groups: Readonly<Record<string, string>>,
): string {
  const rows = verbs.map(({ words, summary: text }) => ({ words: words.split(' '), text }));
  const first = rows.filter(({ words }) => words.length === 1);
  const names = Object.entries(groups).map(([word, text]) => ({ word, text }));
  const inGroup = names.map(({ word: group }) => ({
    after: [group],
    words: rows
      .filter(({ words }) => words[0] === group && words.length === 2)
      .map(({ words, text }) => ({ word: words[1] ?? '', text })),
  }));
  const start = [...first.map(({ words, text }) => ({ word: words[0] ?? '', text })), ...names];
  return writers[shell]({
    next: [{ after: [], words: start }, ...inGroup],
    lines: verbs.map(lineOf),
  });
}

function lineOf(verb: Verb): Line {
  const [operand] = verb.operands ?? [];
  return {
    words: verb.words.split(' '),
    flags: optionsOf(verb).map(flagOf),
    operands: verb.words === 'completion' ? shells : valuesOf(operand?.[0] ?? ''),
  };
}

function flagOf({ flags, description: text, choices }: OptionSpec): Flag {
  const [word = '', value] = flags.split(' ');
  if (value === undefined) return { word, text };
  return { word, text, values: choices ?? valuesOf(value) };
}

/** @param name of a value or an operand: `<file>`, `[files...]` */
function valuesOf(name: string): Values {
  return /^[<[](?:files?|folder|old|new)\b/.test(name) ? 'file' : 'text';
}

/** A word of a shell: quotes, and nothing that has a meaning within them. */
function quoted(text: string): string {
  return `'${text.replaceAll("'", "'\\''")}'`;
}

function bash({ next, lines }: Tree): string {
  const joined = (words: readonly Word[]): string => words.map(({ word }) => word).join(' ');
  const cases = lines.flatMap(({ words, flags, operands }) => [
    ...flags.flatMap(({ word, values }) =>
      values === undefined ? [] : [`    '${words.join(' ')} ${word}') ${bashValues(values)} ;;`],
    ),
    `    '${words.join(' ')} '*) ${bashValues(operands)}; ${wantsFlag(operands)}next='${joined(flags)}' ;;`,
  ]);
  const groups = next.filter(({ after }) => after.length > 0);
  return `# Completion of jetway for bash.
_jetway() {
  local current=\${COMP_WORDS[COMP_CWORD]} previous=\${COMP_WORDS[COMP_CWORD - 1]}
  local verb=\${COMP_WORDS[1]} first=2 next=
  case $verb in
    ${groups.map(({ after }) => after.join(' ')).join(' | ')}) verb+=" \${COMP_WORDS[2]}"; first=3 ;;
  esac
  if ((COMP_CWORD == 1)); then
    next='${joined(next[0]?.words ?? [])}'
  elif ((COMP_CWORD < first)); then
    case $previous in
${groups.map(({ after, words }) => `      ${after.join(' ')}) next='${joined(words)}' ;;`).join('\n')}
    esac
  else
    case "$verb $previous" in
${cases.map((line) => `  ${line}`).join('\n')}
    esac
  fi
  COMPREPLY=($(compgen -W "$next" -- "$current"))
}
complete -F _jetway jetway`;
}

/** Where nothing is known of the operands, or there are none, options are offered unasked. */
function wantsFlag(operands: Values): string {
  return operands === 'text' ? '' : '[[ $current == -* ]] && ';
}

function bashValues(values: Values): string {
  if (values === 'file') return 'compopt -o default';
  return values === 'text' ? 'next=' : `next='${values.join(' ')}'`;
}

function zsh({ next, lines }: Tree): string {
  const described = ({ word, text }: Word): string => quoted(`${word}:${text}`);
  const groups = next.filter(({ after }) => after.length > 0);
  const starts = groups.map(
    ({ after, words }) => `    ${after.join(' ')}) next=(${words.map(described).join(' ')}) ;;`,
  );
  const cases = lines.map(({ words, flags, operands }) => {
    const specs = [...flags.map(zshFlag), quoted(`*:value:${zshValues(operands)}`)];
    return `    ${quoted(words.join(' '))}) _arguments ${specs.join(' ')} ;;`;
  });
  return `#compdef jetway
# Completion of jetway for zsh.
_jetway() {
  local verb=$words[2]
  local -i first=3
  local -a next
  case $verb in
    ${groups.map(({ after }) => after.join(' ')).join('|')}) verb+=" $words[3]"; first=4 ;;
  esac
  if ((CURRENT == 2)); then
    next=(${(next[0]?.words ?? []).map(described).join(' ')})
  elif ((CURRENT < first)); then
    case $words[2] in
${starts.map((line) => `  ${line}`).join('\n')}
    esac
  fi
  if (($#next)); then
    _describe verb next
    return
  fi
  shift $((first - 2)) words
  ((CURRENT -= first - 2))
  case $verb in
${cases.join('\n')}
  esac
}
_jetway "$@"`;
}

/** `[` and `]` enclose what is said of an option, and `:` ends its name. */
function zshFlag({ word, text, values }: Flag): string {
  const said = text.replaceAll(/[[\]:\\]/g, '\\$&');
  const value = values === undefined ? '' : `:value:${zshValues(values)}`;
  return quoted(`*${word}[${said}]${value}`);
}

function zshValues(values: Values): string {
  if (values === 'file') return '_files';
  return values === 'text' ? ' ' : `(${values.join(' ')})`;
}

function fish({ next, lines }: Tree): string {
  const at = (words: readonly string[], more = ''): string =>
    `complete -c jetway -n '__jetway_at "${['jetway', ...words].join(' ')} ${more}"'`;
  const words = next.flatMap((place) =>
    place.words.map(({ word, text }) => `${at(place.after)} -a ${word} -d ${fishText(text)}`),
  );
  const values = lines.flatMap(({ words: verb, flags, operands }) => [
    ...(operands === 'text' ? [] : [at(verb, '*') + fishValues(operands)]),
    ...flags.map((flag) => at(verb, '*') + fishFlag(flag)),
  ]);
  return `# Completion of jetway for fish.
function __jetway_at
    string match -q -- $argv[1] (string join -- ' ' jetway (commandline -opc)[2..])' '
end
complete -c jetway -f
${[...words, ...values].join('\n')}`;
}

function fishFlag({ word, text, values }: Flag): string {
  const value =
    values === undefined ? '' : `${values === 'file' ? ' -r' : ' -x'}${fishValues(values)}`;
  return ` -l ${word.slice(2)} -d ${fishText(text)}${value}`;
}

function fishValues(values: Values): string {
  if (values === 'file') return ' -F';
  return values === 'text' ? '' : ` -a ${quoted(values.join(' '))}`;
}

/** Within quotes fish takes a backslash for what it stands before. */
function fishText(text: string): string {
  return `'${text.replaceAll('\\', '\\\\').replaceAll("'", "\\'")}'`;
}
