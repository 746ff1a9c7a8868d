// Owns judging a client's callbacks by the names that its programme's redirects have: a name that stands
// in the callback's query already would come twice (RFC 6749 3.1, HOSTILE 86).

import { quote } from '../../lib/fault.ts';
import { queryNames } from '../../oauth/redirect_uri.ts';
import { logsIn, type Programme } from '../../programme/programme.ts';

/** The names, as the callback's query has them, in words; undefined without any. */
function takenNames(programme: Programme, uri: string): string | undefined {
  // Without a login no answer goes to a callback.
  if (!logsIn(programme)) return undefined;
  const { names } = programme.login.redirect;
  const taken = queryNames(uri).filter((name) => names.has(name));
  return taken.length === 0 ? undefined : [...new Set(taken)].map(quote).join(' and ');
}

/** A callback that must not be registered in this way, and why, as the end of a sentence. */
type CallbackFault = readonly [uri: string, fault: string];

/**
 * @param uris those that a command is about to register
 * @param told those of which it says that their names collide
 */
export function collisionFaults(
  programme: Programme,
  uris: readonly string[],
  told: readonly string[],
): readonly CallbackFault[] {
  return [...new Set([...uris, ...told])].flatMap((uri): readonly CallbackFault[] => {
    const names = takenNames(programme, uri);
    if (told.includes(uri)) {
      const none = `has no name in its query by which ${programme.id} answers: register it as any other`;
      return names === undefined ? [[uri, none]] : [];
    }
    if (names === undefined) return [];
    const why = `has ${names} in its query, and ${programme.id} answers by that name: it would come twice (RFC 6749 3.1)`;
    return [[uri, why]];
  });
}

/** The faults in sentences, with the remedy, for a command's options. */
export function collisionMessages(...given: Parameters<typeof collisionFaults>): readonly string[] {
  const [, , told] = given;
  return collisionFaults(...given).map(([uri, fault]) =>
    told.includes(uri)
      ? `--colliding-redirect-uri ${quote(uri)} ${fault}`
      : `redirect URI ${quote(uri)} ${fault}; take it out of the query, or register it with --colliding-redirect-uri`,
  );
}

/** Warnings at each registration, change and display of a client. */
export function collisionWarnings(
  programme: Programme,
  { redirectUris }: { readonly redirectUris: readonly string[] },
): readonly string[] {
  return redirectUris.flatMap((uri) => {
    const names = takenNames(programme, uri);
    if (names === undefined) return [];
    return [
      `AMBIGUOUS: ${uri} has ${names} in its query, and ${programme.id} answers by that name: whoever reads the wrong one of the two takes what stands in the callback for the answer`,
    ];
  });
}
