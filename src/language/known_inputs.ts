// Owns the inputs that Jetway knows by name: where each is read, what it does with it, and what partners are told
// to send. Which of them a grant needs stands in oauth/grant.ts.

/** The inputs of RFC 7662 2.1 and RFC 7009 2.1. */
export const question = 'token';
export const hint = 'token_type_hint';

/** An endpoint that reads inputs. */
type Reader = 'login' | 'token' | 'management';

export interface KnownInput {
  readonly at: readonly Reader[];
  /** For operators, as Markdown. */
  readonly use: string;
  /** For partners, as Markdown: what to send. */
  readonly partner?: string;
  /** The variable that stands for it in examples, if it is what a grant needs. */
  readonly sample?: string;
  /** Its value can open something, or belongs to what can: no answer may repeat it. */
  readonly isSecret?: true;
  /** Its form follows from what it is: a partner need not be told. */
  readonly hasOwnForm?: true;
  /** No RFC has it. */
  readonly isOurs?: true;
  /** Its RFC lets it come several times: that is no fault where it is ignored. */
  readonly mayRepeat?: true;
}

export const inputRows: Readonly<Record<string, KnownInput>> = {
  client_id: {
    at: ['login', 'token'],
    use: 'The client whose login it is. With `client_secret`, the client that authenticates by parameters.',
    partner: 'your client identifier',
    hasOwnForm: true,
  },
  client_secret: {
    at: ['token'],
    use: 'The secret of a client that authenticates by parameters.',
    partner: 'your client secret',
    isSecret: true,
  },
  client_signature: {
    at: ['token'],
    use: 'What a client has made with its signing secret to authenticate (`signature`).',
    partner: 'your signature of the request',
    sample: 'CLIENT_SIGNATURE',
    isSecret: true,
    hasOwnForm: true,
    isOurs: true,
  },
  client_token: {
    at: ['token'],
    use: 'An access token of its own by which a client proves itself (`own_token`).',
    partner: 'an access token of your own',
    sample: 'CLIENT_TOKEN',
    isSecret: true,
    hasOwnForm: true,
    isOurs: true,
  },
  client_assertion: {
    at: ['token'],
    use: 'What a client has signed to authenticate (`private_key_jwt`).',
    isSecret: true,
  },
  client_assertion_type: {
    at: ['token'],
    use: 'If it is declared and `client_assertion` comes, it must be the URN of RFC 7523 2.2.',
  },
  assertion: {
    at: ['token'],
    use: 'What a client has signed for the grant `jwt_bearer`.',
    isSecret: true,
  },
  response_type: {
    at: ['login'],
    use: 'Must be declared. Its failures have reasons of their own.',
    partner: 'what the login ends with',
  },
  redirect_uri: {
    at: ['login', 'token'],
    use: 'Where the answer goes. The token endpoint compares it with that of the login request.',
    partner: 'one of your registered redirect URIs',
  },
  state: {
    at: ['login'],
    use: 'Carried back to the partner (RFC 6749 4.1.1).',
    partner: 'a value of your own that comes back unchanged',
  },
  response_mode: {
    at: ['login'],
    use: 'How the answer comes: by `query`, `fragment` or `form_post`. Its `allowed` says which of them can be chosen.',
  },
  scope: {
    at: ['login', 'token'],
    use: 'What is asked for.',
    partner: 'what the token is to be good for',
  },
  resource: {
    at: ['login', 'token'],
    use: 'Which of `resources` the tokens are to be good for (RFC 8707). A request names one at most.',
    partner: 'the API that the token is to be good for',
    mayRepeat: true,
  },
  access_lifetime: {
    at: ['token'],
    use: 'How long the access token of this answer is to be good, as `tokens.access.requested` has it.',
    partner: 'how long the access token is to be good',
    hasOwnForm: true,
    isOurs: true,
  },
  answer_form: {
    at: ['token'],
    use: 'The form in which the answer comes, as `answer_forms` has it.',
    partner: 'the form of the answer',
    hasOwnForm: true,
    isOurs: true,
  },
  brand: {
    at: ['login'],
    use: 'Which of `login.brands` the page shows (P-3).',
    partner: 'the brand that the login page shows',
    isOurs: true,
  },
  ui_locales: {
    at: ['login'],
    use: 'Languages for the pages, best first, with spaces between (OpenID Connect Core 3.1.2.1).',
    partner: 'languages for the pages, the best first, such as `fr en`',
  },
  nonce: {
    at: ['login'],
    use: 'Stands in the identity token (OpenID Connect Core 3.1.2.1). 1024 characters at most.',
    partner: 'a random value of your own, which the identity token holds',
  },
  prompt: {
    at: ['login'],
    use: '`none` is answered with `login_required`: every login has its page.',
    partner: 'what the page may ask: `none` is refused, every login has its page',
  },
  code_challenge: {
    at: ['login'],
    use: 'PKCE (RFC 7636).',
    partner: 'the PKCE challenge: base64url(SHA-256(verifier))',
    hasOwnForm: true,
  },
  code_challenge_method: {
    at: ['login'],
    use: 'PKCE. `S256` is the only method.',
    partner: 'the method of the challenge',
  },
  grant_type: {
    at: ['token'],
    use: 'Chooses the grant. An endpoint that serves one grant can leave it undeclared or optional.',
    partner: 'the kind of request',
  },
  code: {
    at: ['token'],
    use: 'The code to redeem.',
    partner: 'the code from the redirect',
    sample: 'CODE',
    isSecret: true,
    hasOwnForm: true,
  },
  code_verifier: {
    at: ['token'],
    use: 'PKCE.',
    partner: 'the PKCE verifier, if the login request had a challenge',
    isSecret: true,
    hasOwnForm: true,
  },
  refresh_token: {
    at: ['token'],
    use: 'The refresh token to use.',
    partner: 'your latest refresh token of this login',
    sample: 'REFRESH_TOKEN',
    isSecret: true,
    hasOwnForm: true,
  },
  subject_token: {
    at: ['token'],
    use: 'The access token to exchange.',
    partner: 'an access token of yours',
    sample: 'ACCESS_TOKEN',
    isSecret: true,
  },
  subject_token_type: {
    at: ['token'],
    use: 'The kind of token that it says it is. `allowed` must say which values are taken (RFC 8693 3).',
    partner: 'what you send',
    isSecret: true,
  },
  requested_token_type: {
    at: ['token'],
    use: 'The kind of token to issue; `allowed` as for `subject_token_type`. Answers tell it as `issued_token_type`.',
    partner: 'what you want',
    isSecret: true,
  },
  actor_token: {
    at: ['token'],
    use: 'Refused, since there is no delegation. It is ignored if it is not declared.',
    isSecret: true,
  },
  username: {
    at: ['token'],
    use: 'Whose password it is (the grant `password`, P-9).',
    partner: "the member's username",
    sample: 'MEMBER_USERNAME',
  },
  password: {
    at: ['token'],
    use: "The member's password.",
    partner: "the member's password",
    sample: 'MEMBER_PASSWORD',
    isSecret: true,
  },
  forwarded_for: {
    at: ['login', 'token'],
    use: "At the login, its form is checked again when the page is posted (P-13). With the grant `password`: the address of the partner's customer, as the partner says, for a directory behind a hook. No limit counts by it (P-6).",
    partner: "the member's address, if your server sends the request",
    isOurs: true,
  },
  [question]: {
    at: ['management'],
    use: 'The token in question.',
    partner: 'the token in question',
  },
  [hint]: {
    at: ['management'],
    use: 'Ignored: a token tells what it is.',
    partner: 'ignored: a token tells what it is',
  },
};

function readAt(reader: Reader): ReadonlySet<string> {
  const rows = Object.entries(inputRows);
  return new Set(rows.flatMap(([role, { at }]) => (at.includes(reader) ? [role] : [])));
}

export const loginInputs: ReadonlySet<string> = readAt('login');
export const tokenInputs: ReadonlySet<string> = readAt('token');

/** Those of all endpoints. */
export const knownInputs: ReadonlySet<string> = new Set(Object.keys(inputRows));

/** Those that may come once, even where they are ignored (HOSTILE 43). */
export const singleInputs: readonly string[] = Object.entries(inputRows).flatMap(
  ([role, { mayRepeat }]) => (mayRepeat === true ? [] : [role]),
);

/** The row of an input; undefined for one that only the file knows. */
export function knownInput(role: string): KnownInput | undefined {
  return Object.hasOwn(inputRows, role) ? inputRows[role] : undefined;
}
