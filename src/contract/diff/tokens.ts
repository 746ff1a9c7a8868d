// Owns the rows of a contract's tokens: what they look like, how long they are good, and their scopes.

import { describeShape } from '../../language/value_shape.ts';
import type { ClientId } from '../../oauth/client.ts';
import type { Programme } from '../../programme/programme.ts';
import {
  refreshLifetime,
  identityClaims,
  accessForm,
  accessLifetime,
  claimsOf,
  refreshForm,
  type TokenForm,
} from '../answers.ts';
import { tellsSeveral } from '../samples/answers.ts';
import { answers, type Endpoint, keyRows, names, offer, type Rows, span, text } from './rows.ts';

/** What holds of tokens, whichever endpoint gives them out. */
export function tokenRows(programme: Programme): Endpoint {
  const { access, grants, refresh } = programme;
  const formText = (form: TokenForm): string => {
    if (form === 'jwt') return `JWTs, signed ${access.algorithm}`;
    if (form === undefined) return 'opaque';
    const { begins_with: value } = form;
    return `opaque, ${value === undefined ? '' : `${value} and `}${describeShape(form)}`;
  };
  const usualWords = formText(access.usual);
  return {
    kind: 'tokens',
    rows: [
      text('access tokens', usualWords),
      keyRows(programme, 'tokens.access'),
      ...[...grants].map((grant) =>
        span(`lifetime of an access token by ${grant}`, accessLifetime(programme, grant)),
      ),
      ...[...grants].flatMap((grant) => {
        const words = formText(accessForm(programme, grant));
        return words === usualWords ? [] : [text(`access tokens by ${grant}`, words)];
      }),
      ...[...grants].flatMap((grant) => {
        const claims = claimsOf(programme, grant);
        return claims === undefined ? [] : [answers(`claims of a token by ${grant}`, claims)];
      }),
      grants.has('refresh_token') && [
        text('refresh tokens', formText(refreshForm(programme)) + staying[refresh.rotation]),
        span('lifetime of a refresh token', refreshLifetime(programme)),
        keyRows(programme, 'tokens.refresh'),
      ],
      identityRows(programme),
      scopeRows(programme),
      grants.has('client_credentials') &&
        text("subject of a client's own token", programme.clientSubject('CLIENT-ID' as ClientId)),
      numberRows(programme),
    ],
  };
}

const staying = { on: '', off: ', which stay', with_pkce: ', which stay without PKCE' } as const;

function identityRows(programme: Programme): Rows {
  const claims = identityClaims(programme);
  if (programme.identity === undefined || claims === undefined) return [];
  return [
    text('identity tokens', `signed ${programme.identity.algorithm}`),
    span('lifetime of an identity token', programme.identity.lifetime),
    answers('claims of an identity token', claims),
  ];
}

const separatorWords: Readonly<Record<string, string>> = {
  ' ': 'spaces',
  ',': 'commas',
  none: 'one scope at most',
};

function scopeRows({ grants, scopes: scope }: Programme): Rows {
  if (scope.kind === 'list') {
    const { separator } = scope;
    const between = separatorWords[separator] ?? `"${separator}"`;
    return [
      names('scopes', scope.values),
      names('scopes that nobody need ask for', scope.default ?? []),
      tellsSeveral(scope) ? offer('several scopes', between) : text('several scopes', between),
      names(
        'scopes that open what demands none',
        scope.values.filter((value) => !scope.restricted.includes(value)),
      ),
    ];
  }
  const ofMembers = [...grants].some((grant) => grant !== 'client_credentials');
  return [
    names('levels', scope.values, ' < '),
    grants.has('client_credentials') && text("level of a client's own token", scope.client),
    ofMembers && text('level of a member of whom none is known', scope.member_default),
  ];
}

/** Members whose number does not fit get no token. */
function numberRows({ memberNumber }: Programme): Rows {
  const { neededBy, form } = memberNumber;
  if (neededBy.size === 0) return [];
  return [text('membership number', `${form}, needed by ${[...neededBy].join(', ')}`)];
}
