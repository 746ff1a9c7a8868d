// Owns short lines of transcripts: what one line says, written out as the lines that it stands for.
//
//   == a used code: after 5 seconds; POST /club/token code={code} [X-Api-Key: k] --- 400 {"error":"no"}
//
// stands for
//
//   == a used code
//   after 5 seconds
//   POST /club/token code={code}
//   X-Api-Key: k
//   --- 400 {"error":"no"}

/** How a request begins, or what happens before it. */
const beginning = String.raw`(?:(?:after \S+ seconds|now [^;]+)(?:; |$)|do \w|(?:LOGIN |RAW )?(?:[A-Z]+|\{=[^}]*\}) [/{*])`;

/** A line that is short for two: the first of them, and the one that is written out in turn. */
const shapes: readonly (readonly [line: RegExp, first: string, rest: string])[] = [
  [new RegExp(`^(== .*?): (${beginning}.*)$`), '$1', '$2'],
  [/^(define \w+(?: \$\d)*) = (.*)$/, '$1', '$2'],
  [/^(after \S+ seconds|now [^;]+); (.*)$/, '$1', '$2'],
  [/^(over) (\w+: .*|\{ .* \})$/, '$1:', '  $2'],
  [/^(now server restarts|beside \S+(?: = \S+)?) with (.*)$/, '$1', '  $2'],
  [/^(?![-#=])(\S.*?) (--- .*)$/, '$1', '$2'],
  [/^(?!define )(\S.*) \[((?:no )?[A-Z][\w-]*(?::(?: [^\]]*)?)?|do [^\]]+)\]$/, '$1', '$2'],
];

/** The text of a transcript without short lines. */
export function writtenOut(text: string): string {
  return text
    .split('\n')
    .flatMap((line) => linesOf(line))
    .join('\n');
}

function linesOf(line: string): readonly string[] {
  const [shape, first, rest] = shapes.find(([short]) => short.test(line)) ?? [];
  if (shape === undefined || first === undefined || rest === undefined) return [line];
  return [line.replace(shape, first), line.replace(shape, rest)].flatMap(linesOf);
}
