// Owns the checks of values that answers repeat from the request: of inputs that there are and that are
// no secrets, in bodies whose encoding escapes them.

import type { Path } from '../../lib/fault.ts';
import { suggest } from '../../lib/suggest.ts';
import { type Complaint, wrong } from '../../schema/complaint.ts';
import { cookieFields } from '../answers/cookies.ts';
import type { Definition } from '../language/definition.ts';
import { headerFields } from '../language/response_headers.ts';
import { type FieldTree, writtenValues } from '../language/value_tree.ts';
import { sentPrefix } from '../language/vocabularies.ts';
import { isSecretInput } from '../requests/echo.ts';

export function* sentComplaints(definition: Definition): Iterable<Complaint> {
  const { token_response: response, errors, tokens, token_endpoints: endpoints } = definition;
  const declared = Object.values(endpoints).flatMap(({ inputs }) => Object.entries(inputs));
  for (const [at, tree, isEscaped] of [
    [['token_response', 'fields'], response.fields, response.encoding !== 'text'],
    [['errors', 'fields'], errors.fields, errors.encoding !== 'text'],
    [['token_response', 'headers'], headerFields(response.headers), false],
    [['token_response', 'cookies'], cookieFields(response.cookies), false],
    [['tokens', 'access', 'claims'], tokens.access.claims, false],
  ] satisfies readonly (readonly [Path, FieldTree, boolean])[]) {
    for (const value of writtenValues(tree)) {
      if (!value.startsWith(sentPrefix)) continue;
      const name = value.slice(sentPrefix.length);
      const inputs = declared.filter(([role]) => role === name);
      const near = suggest(name, new Set(declared.map(([role]) => role)));
      yield* wrong(
        [
          !isEscaped,
          at,
          `${value} would stand here as it was sent`,
          'only bodies of JSON, XML and forms can repeat what a request says',
        ],
        [
          inputs.length === 0,
          at,
          `no token endpoint has an input "${name}"`,
          near === undefined ? 'declare it' : `did you mean ${sentPrefix}${near}?`,
        ],
        [
          inputs.some(([role, input]) => isSecretInput(role, input)),
          at,
          `${value} is a secret, which no answer repeats`,
        ],
      );
    }
  }
}
