// Owns what is said often in a transcript, by a name.
//
//   define refresh $1                   what `do refresh {refresh_token}` stands for, anywhere below: $1 is
//   == the refresh token {$1}           the first word after the name, $0 all of them; `do refresh a, refresh b`
//   POST /club/token refresh={$1}       does both
//   --- 200 {"token":"{new}"}
//
//   define no = --- 400 {"error":"no"}  an answer by its name is `--- no`

/** The head without its definitions, and what writes out what stands for them in a text. */
export function definitionsIn(head: string): readonly [string, (text: string) => string] {
  const [rest = '', ...definitions] = head.split(/^define /m);
  const defined = new Map(definitions.map((one) => [/^\S+/.exec(one)?.[0] ?? '', bodyOf(one)]));
  return [rest, (text) => expanded(text, defined)];
}

function bodyOf(definition: string): string {
  return definition.slice(definition.indexOf('\n') + 1).trimEnd();
}

/** The text with each `do` and each answer's name replaced by what it stands for, also within that. */
function expanded(text: string, defined: ReadonlyMap<string, string>): string {
  return text.replaceAll(/^(do |--- (?=[a-z]))(.*)$/gm, (line, mark: string, calls: string) =>
    (mark === 'do ' ? callsIn(calls, defined) : [calls.split(' ')])
      .map(([name = '', ...given]) => {
        const body = defined.get(name);
        if (body === undefined) throw new Error(`nothing is defined for: ${line}`);
        const filled = body.replaceAll(/\$(\d)/g, (_, place: string) =>
          place === '0' ? given.join(' ') : (given[Number(place) - 1] ?? ''),
        );
        return expanded(filled, defined);
      })
      .join('\n'),
  );
}

/** The words of each call; what follows a comma belongs to the one before unless it is defined, too. */
function callsIn(
  text: string,
  defined: ReadonlyMap<string, string>,
): readonly (readonly string[])[] {
  const calls: string[] = [];
  for (const part of text.split(', ')) {
    const isWord = calls.length > 0 && !defined.has(part.split(' ')[0] ?? '');
    calls.push(isWord ? `${calls.pop()}, ${part}` : part);
  }
  return calls.map((call) => call.split(' '));
}
