// C-8 on the wire: of two things that are wrong at once, the one that comes first answers.

import assert from 'node:assert/strict';
import { test } from 'node:test';

import { jsonHeaders, openClub, paths, refused, unknownClient } from '../support/club.ts';
import { type Answer, ask } from '../support/wire.ts';

// The shipped file asks for no header, so the step of required headers is put in.
const over = `
token_endpoints:
  grant:
    inputs:
      programme: { in: header, name: programme-identifier, required: true, must_equal: programme.identifier }
`;

/** What a request is made of before it is sent; each step's fault spoils a part of it. */
interface Draft {
  path: string;
  method: string;
  type: string;
  programme: string | undefined;
  /** Which of the clients asks: its name is the set of faults that lie in its registration. */
  roleless: boolean;
  throttled: boolean;
  secret: string;
  scheme: string;
  fields: [string, string][];
}

interface Step {
  readonly name: string;
  readonly spoil: (draft: Draft) => void;
  readonly answer: Answer;
}

const badRequest = (description: string): Answer =>
  refused(400, { error: 'invalid_request', error_description: description });

function setField(draft: Draft, name: string, value: string | undefined): void {
  draft.fields = draft.fields.filter(([other]) => other !== name);
  if (value !== undefined) draft.fields.push([name, value]);
}

const steps: readonly Step[] = [
  {
    name: 'path',
    spoil: (draft) => (draft.path = `${paths.grant}s`),
    answer: { status: 404, headers: jsonHeaders, body: '{"error":"not_found"}' },
  },
  {
    name: 'method',
    spoil: (draft) => (draft.method = 'PUT'),
    answer: refused(
      405,
      { error: 'invalid_request', error_description: 'method not allowed' },
      { allow: 'POST' },
    ),
  },
  {
    name: 'media type',
    spoil: (draft) => (draft.type = 'text/plain'),
    answer: badRequest('Content-Type must be application/x-www-form-urlencoded'),
  },
  {
    name: 'size',
    spoil: (draft) => setField(draft, 'padding', 'x'.repeat(65_536)),
    answer: refused(413, {
      error: 'invalid_request',
      error_description: 'the request body is too large',
    }),
  },
  {
    name: 'repeated parameter',
    spoil: (draft) => draft.fields.push(['redirect_uri', 'a'], ['redirect_uri', 'a']),
    answer: badRequest('redirect_uri is repeated'),
  },
  {
    name: 'authentication header',
    spoil: (draft) => (draft.scheme = 'Bearer'),
    answer: refused(400, { error: 'invalid_client' }),
  },
  {
    name: 'required header',
    spoil: (draft) => (draft.programme = undefined),
    answer: badRequest('programme-identifier header is missing'),
  },
  {
    name: 'client',
    spoil: (draft) => (draft.secret = 'wrong'),
    answer: unknownClient,
  },
  {
    name: 'client_id',
    spoil: (draft) => setField(draft, 'client_id', 'partnerapi-99999'),
    answer: badRequest('client_id is not the authenticated client'),
  },
  {
    name: 'grant_type missing',
    spoil: (draft) => setField(draft, 'grant_type', undefined),
    answer: badRequest('grant_type is missing'),
  },
  {
    name: 'grant_type unsupported',
    spoil: (draft) => setField(draft, 'grant_type', 'password'),
    answer: refused(400, { error: 'unsupported_grant_type' }),
  },
  {
    name: 'grant not allowed',
    spoil: (draft) => (draft.roleless = true),
    answer: refused(400, { error: 'invalid_grant', error_description: 'access_denied' }),
  },
  {
    name: 'parameter missing',
    spoil: (draft) => setField(draft, 'code', undefined),
    answer: badRequest('code is missing'),
  },
  {
    name: 'scope',
    spoil: (draft) => setField(draft, 'scope', 'AUTHN-LEVEL-11'),
    answer: refused(400, { error: 'invalid_scope' }),
  },
  {
    name: 'throttle',
    spoil: (draft) => (draft.throttled = true),
    answer: refused(429, { error: 'too_many_tokens' }, { 'retry-after': '60' }),
  },
  {
    name: 'grant',
    spoil: () => {},
    answer: refused(400, { error: 'invalid_grant' }),
  },
];

/** Two faults in the same part of a request, of which only one can be there. */
const exclusive = new Set([
  'authentication header+client',
  'grant_type missing+grant_type unsupported',
  'parameter missing+grant',
]);

function clientOf({ roleless, throttled }: Pick<Draft, 'roleless' | 'throttled'>): string {
  return `partnerapi-000${Number(roleless)}${Number(throttled)}`;
}

function build(spoilers: readonly Step[]): {
  readonly path: string;
  readonly method: string;
  readonly headers: Readonly<Record<string, string>>;
  readonly body: string;
} {
  const draft: Draft = {
    path: paths.grant,
    method: 'POST',
    type: 'application/x-www-form-urlencoded',
    programme: 'ExecutiveClub',
    roleless: false,
    throttled: false,
    secret: 'right',
    scheme: 'Basic',
    // No code is good here, so the fault of the last step is in every request.
    fields: [
      ['grant_type', 'authorization_code'],
      ['code', 'unknown'],
    ],
  };
  for (const step of spoilers) step.spoil(draft);
  const credentials = Buffer.from(`${clientOf(draft)}:${draft.secret}`).toString('base64');
  return {
    path: draft.path,
    method: draft.method,
    headers: {
      'content-type': draft.type,
      authorization: `${draft.scheme} ${credentials}`,
      ...(draft.programme === undefined ? {} : { 'programme-identifier': draft.programme }),
    },
    body: new URLSearchParams(draft.fields).toString(),
  };
}

test('C-8: each fault alone gets its own answer, of any two the earlier one answers', async (t) => {
  const club = await openClub(t, { over });
  for (const roleless of [false, true]) {
    for (const throttled of [false, true]) {
      const id = clientOf({ roleless, throttled });
      const roles = roleless ? ([] as const) : (['member'] as const);
      const throttle = { limit: throttled ? 1 : 1000, window: 60_000 };
      await club.addClient({ id, secret: 'right', roles, more: { throttle } });
      // Uses up the limit of one, and shows that it is what the throttled request lacks.
      await club.store.count(
        'token_request',
        'executive-club' as never,
        id,
        throttle,
        club.clock.now(),
      );
    }
  }
  for (const [index, first] of steps.entries()) {
    const send = async (faults: readonly Step[]): Promise<Answer> => {
      const { path, ...rest } = build(faults);
      return ask(club.url, path, rest);
    };
    assert.deepEqual(await send([first]), first.answer, first.name);
    for (const second of steps.slice(index + 1)) {
      const name = `${first.name}+${second.name}`;
      if (exclusive.has(name)) continue;
      assert.deepEqual(await send([first, second]), first.answer, name);
      // The order in which the faults were put in has no say in it.
      assert.deepEqual(await send([second, first]), first.answer, name);
    }
  }
});
