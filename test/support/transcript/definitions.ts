// Owns what is said often in a transcript, by a name.
//
//   define refresh $1                   what `do refresh {refresh_token}` stands for, anywhere below: $1 is
//   == the refresh token {$1}           the first word after the name, $0 all of them; `do refresh a, refresh b`
//   POST /club/token refresh={$1}       does both
//   --- 200 {"token":"{new}"}
//
//   define no = --- 400 {"error":"no"}  an answer by its name is `--- no`

/** What `do` and names of answers stand for, by name. */
export type Definitions = ReadonlyMap<string, string>;

/** What comes before the first test: its `define`s, and what is before those. */
export function definitionsOf(common: string): {
  readonly head: string;
  readonly defined: Definitions;
} {
  const [head = '', ...definitions] = common.split(/^define /m);
  const named = definitions.map((one) => [/^\S+/.exec(one)?.[0] ?? '', bodyOf(one)] as const);
  return { head, defined: new Map(named) };
}

function bodyOf(definition: string): string {
  return definition.slice(definition.indexOf('\n') + 1).trimEnd();
}

/** The text with each `do` and each answer's name replaced by what it stands for, also within that. */
export function expanded(text: string, defined: Definitions): string {
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
function callsIn(text: string, defined: Definitions): readonly (readonly string[])[] {
  const calls: string[] = [];
  for (const part of text.split(', ')) {
    const isWord = calls.length > 0 && !defined.has(part.split(' ')[0] ?? '');
    calls.push(isWord ? `${calls.pop()}, ${part}` : part);
  }
  return calls.map((call) => call.split(' '));
}
