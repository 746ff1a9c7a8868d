// Owns the list of every tree of fields in a programme file, and what each of them can hold.

import type { Definition } from '../../language/definition.ts';
import type { EncodingName } from '../../language/encoding.ts';
import { headerFields } from '../../language/response_headers.ts';
import type { FieldTree, NameCase } from '../../language/value_tree.ts';
import { besideNames, sentPrefix } from '../../language/vocabularies.ts';
import type { Path } from '../../lib/fault.ts';
import { cookieFields } from './headers.ts';

/** What its fields are members of. */
type Holder = 'token answer' | 'access token' | 'error' | 'redirect' | 'identity';

export interface Layout {
  readonly holder: Holder;
  /** The key of the file that holds the tree. */
  readonly at: Path;
  readonly fields: FieldTree;
  /** `texts`: each member is a text by itself, such as a header. */
  readonly form: EncodingName | 'texts';
  /** Of texts: what a member is, in words. */
  readonly member?: string;
  /** Of texts: the key under the member's name that holds its field. */
  readonly memberKey?: string;
  readonly wrap?: readonly string[];
  readonly nameCase?: NameCase;
  /** Whether a value of the request can stand in it: only encoded bodies escape one. */
  readonly repeatsRequest?: boolean;
  /** Members that Jetway writes itself. */
  readonly reserved?: RegExp;
  /** Values, or prefixes of values, that do not exist when it is written, after these words. */
  readonly lacks?: readonly [words: string, ...names: readonly string[]];
}

/** Values that exist only in the answer that issues the tokens. */
const ofAnswers = ['access_token', 'refresh_token', 'id_token', ...besideNames, 'request_id'];
const ofIssue = ['token_id', 'grant', 'refresh_lifetime', 'refresh_expires_at'];

/** RFC 7519 4.1 and RFC 9068 2.2; with `nbf` a dialect could make tokens that are never valid. */
const accessClaims = /^(?:iss|sub|aud|exp|nbf|iat|jti|client_id|scope|family)$/;

/** OpenID Connect Core 2; `nbf` as above. */
const identityClaims = /^(?:iss|sub|aud|exp|nbf|iat|auth_time|nonce|at_hash)$/;

/** Every tree of the file, those of token answers first. */
export function layoutsOf(definition: Definition): readonly Layout[] {
  const { token_response: response, tokens, errors, authorize } = definition;
  const { id_token: identity, userinfo } = definition;
  return [
    {
      holder: 'token answer',
      at: ['token_response', 'fields'],
      fields: response.fields,
      form: response.encoding,
      wrap: response.wrap,
      nameCase: response.name_case,
      repeatsRequest: response.encoding !== 'text',
    },
    {
      holder: 'token answer',
      at: ['token_response', 'headers'],
      fields: headerFields(response.headers),
      form: 'texts',
      member: 'a header',
    },
    {
      holder: 'token answer',
      at: ['token_response', 'cookies'],
      fields: cookieFields(response.cookies),
      form: 'texts',
      member: 'a cookie',
      memberKey: 'value',
      lacks: ['browsers carry cookies, and are not to have the', ...besideNames],
    },
    {
      holder: 'error',
      at: ['errors', 'fields'],
      fields: errors.fields,
      form: errors.encoding,
      nameCase: errors.name_case,
      repeatsRequest: errors.encoding !== 'text',
    },
    {
      holder: 'redirect',
      at: ['authorize', 'answer', 'more'],
      fields: authorize.answer.more,
      form: 'texts',
      member: 'a parameter of a redirect',
    },
    {
      holder: 'access token',
      at: ['tokens', 'access', 'claims'],
      fields: tokens.access.claims,
      form: 'json',
      reserved: accessClaims,
      lacks: ['a token cannot hold the', ...ofAnswers],
    },
    {
      holder: 'identity',
      at: ['id_token', 'claims'],
      fields: identity?.claims ?? none,
      form: 'json',
      reserved: identityClaims,
      lacks: ['an identity token cannot hold the', ...ofAnswers, sentPrefix],
    },
    {
      holder: 'identity',
      at: ['userinfo', 'fields'],
      fields: userinfo?.fields ?? none,
      form: 'json',
      lacks: ['userinfo has no', ...ofAnswers, ...ofIssue, sentPrefix],
    },
  ];
}

const none: FieldTree = new Map();

/** The trees that one kind of answer or token is made of. */
export function treesOf(definition: Definition, holder: Holder): readonly FieldTree[] {
  return layoutsOf(definition).flatMap((one) => (one.holder === holder ? [one.fields] : []));
}
