// Owns the Programme: a valid Definition compiled once and frozen, with all that requests use.

import type { Definition } from '../language/definition.ts';
import type { Logos } from '../language/logos.ts';
import { unlessOff } from '../language/service_schemas.ts';
import {
  compileGenerator,
  compileMisfit,
  describeShape,
  usualCodeLength,
  usualIdentifierLength,
} from '../language/value_shape.ts';
import { writtenValues } from '../language/value_tree.ts';
import { milliseconds } from '../lib/clock.ts';
import { quote } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { type ClientId, longestIdentifier, type ProgrammeId } from '../oauth/client.ts';
import { byGrant, grantRows, type GrantType } from '../oauth/grant.ts';
import { levelScopes, listScopes, type ScopeRules } from '../oauth/scope.ts';
import { refreshAudience } from '../token/jwt.ts';
import { compileBeside } from './answers/beside.ts';
import { compileErrorMap, type FailureRenderer } from './answers/error_map.ts';
import { formsOf } from './answers/forms.ts';
import { type BudgetWriter, compileBudgetHeaders } from './answers/headers.ts';
import {
  compileAccessSubject,
  compileIdentity,
  compileMemberNumber,
  compileUserinfo,
} from './answers/identity.ts';
import { treesOf } from './answers/layouts.ts';
import { compileMetadata } from './answers/metadata.ts';
import {
  compileTokenLayout,
  type ProgrammeValues,
  type TokenRenderer,
  tokenWriting,
} from './answers/token_layout.ts';
import { compileClaims } from './answers/tree_writer.ts';
import { compileLogin } from './login/rules.ts';
import { compileAssertionTerms } from './requests/assertion_terms.ts';
import { longestRequested } from './requests/choices.ts';
import { compileTokenPaths } from './requests/endpoint_choice.ts';
import { offeredGrants } from './requests/grant_places.ts';
import { compileInput, type Input } from './requests/inputs.ts';
import { compileTokenEndpoint, type TokenEndpoint } from './requests/token_endpoint.ts';
import {
  compileTokenManagement,
  type TokenManagementEndpoint,
} from './requests/token_management.ts';
import { compileVerification } from './requests/verification.ts';
import { compileSandbox } from './sandbox.ts';
import {
  accessFormatOf,
  accessFormOf,
  compileTokenForms,
  refreshFormOf,
  signsAccess,
  usualFormOf,
} from './token_forms.ts';
import { compileTold } from './told.ts';

/** Characters of a prefix by which an identifier is told from a secret. */
const leastPrefix = 3;

/** Concurrent calls to a member directory: 32 calls of 50 ms each are 640 logins a second. */
const usualConcurrency = 32;

/** How a request names one of the programmes that share a path: in a header or the query. */
export interface SelectorRule extends Pick<Input, 'inHeader' | 'wireName' | 'unwrap'> {
  /** The authentication scheme before the value, in lower case. */
  readonly scheme: string | undefined;
  readonly isDefault: boolean;
}

type MemberRules =
  | { readonly directory: 'store' }
  | { readonly directory: 'http'; readonly url: string; readonly concurrency: number };

export type Programme = Readonly<ReturnType<typeof compile>>;

/** Whether the programme has a login: only the grant authorization_code takes a login's code. */
export function logsIn({ grants }: Programme): boolean {
  return grants.has('authorization_code');
}

/** Whether its clients have a signing secret: they sign requests by it, or it signs their redirects. */
export function needsSigningSecret({ clients, login, grants }: Programme): boolean {
  const signsRedirects = login.redirect.isSigned && grants.has('authorization_code');
  return signsRedirects || clients.authentication.methods.includes('signature');
}

/** The inputs of the login request and of every token endpoint. */
export function inputsOf({ login, tokenEndpoints }: Programme): readonly Input<unknown>[] {
  const ofTokens = tokenEndpoints.flatMap(({ reading }) => reading.inputs);
  return [...login.endpoint.reading.inputs, ...ofTokens];
}

/** The token endpoints that serve a grant, in the order of the grant's list. */
export function endpointsFor(programme: Programme, grant: GrantType): readonly TokenEndpoint[] {
  const { tokenEndpoints, places } = programme;
  return places[grant].flatMap((name) => tokenEndpoints.find((one) => one.name === name) ?? []);
}

/**
 * Compiles a programme. The issuer, redirects and paths are made from the configured `serviceUrl`
 * (no trailing slash), never from a request (HOSTILE 62). The page shows only logos in `logos`.
 */
export function compileProgramme(
  id: ProgrammeId,
  written: Definition,
  serviceUrl: string,
  logos: Logos = new Map(),
): Programme {
  return Object.freeze(compile(id, written, serviceUrl, logos));
}

function compile(id: ProgrammeId, written: Definition, serviceUrl: string, logos: Logos) {
  const { origin: publicUrl, pathname } = new URL(serviceUrl);
  const definition = {
    ...written,
    base_path: (pathname === '/' ? '' : pathname) + written.base_path,
  };
  const ownPath = definition.base_path + (definition.selector === undefined ? '' : `/${id}`);
  const issuer = publicUrl + ownPath;
  const audience = definition.audience ?? issuer;
  const values = { programme_identifier: definition.programme_identifier, issuer, audience };
  const { access, refresh, client_subject_prefix: prefix } = definition.tokens;
  const scope = compileScope(definition);
  const throttle = unlessOff(definition.throttle);
  const tellBudget = compileBudgetHeaders(throttle?.headers ?? {});
  const isSigned = signsAccess(definition);
  const lifetimes = byGrant((type) => definition.grants[type]?.access_lifetime ?? access.lifetime);
  const longestChosen = access.requested === undefined ? 0 : longestRequested(access.requested);
  const clients = compileClientRules(definition, { issuer, audience, publicUrl });
  const login = compileLogin(definition, { ownPath, issuer }, logos);
  const verification = compileVerification(definition, scope);
  const extras = compileExtras(id, definition, publicUrl, ownPath, scope);
  const tokenEndpoints: readonly TokenEndpoint[] = Object.entries(definition.token_endpoints).map(
    ([name, endpoint]) => compileTokenEndpoint(name, endpoint, definition),
  );
  const grants: ReadonlySet<GrantType> = new Set(offeredGrants(definition));
  return {
    id,
    name: definition.name,
    /** The programme identifier that partners send. */
    identifier: definition.programme_identifier,
    /** The version of the document that the dialect is written down in. */
    interfaceVersion: definition.interface_version,
    basePath: definition.base_path,
    /** The base path, with the programme's name if several programmes share the base path. */
    ownPath,
    /** The selector on each documented path, where the file declares one. */
    selectors: compileSelectors(definition),
    /** The input that chooses one of the programmes that share a path. */
    selectorInput: definition.selector?.input,
    /** Public base URL; `iss` of its tokens (C-9). */
    issuer,
    audience,
    /** The audiences that a request can ask for. */
    resources: definition.resources,
    /** Whether pages of registered origins can read answers. */
    isCrossOrigin: definition.cors === 'on',
    /** The header of answers that holds the request id; undefined where the dialect has none. */
    requestIdHeader: definition.request_id === 'none' ? undefined : definition.request_id,
    values,
    clients,
    /** Who an assertion of the grant `jwt_bearer` may be about, in the order of the file. */
    assertionSubjects: definition.grants.jwt_bearer?.subject ?? [],
    login,
    /** What partners are told by single keys. */
    told: compileTold(definition),
    code: {
      generate: compileGenerator(definition.code, usualCodeLength),
      lifetime: definition.code.lifetime,
      /** Why no code of the programme looks like a text. */
      misfit: compileMisfit(definition.code),
      shape: definition.code,
    },
    tokenEndpoints,
    /** The same by their paths, which several can have. */
    tokenPaths: compileTokenPaths(definition, tokenEndpoints),
    /** The names of the endpoints that serve each grant. */
    places: byGrant((type): readonly string[] => definition.grants[type]?.endpoint ?? []),
    grants,
    /** Grants whose answers bring a refresh token. */
    refreshing: refreshingOf(definition),
    scope,
    /** What the file says of scopes. */
    scopes: definition.scope,
    /** The trees of fields of all answers, as the file has them. */
    layouts: {
      tokens: definition.token_response,
      errors: definition.errors,
      claims: access.claims,
      redirect: definition.authorize.answer,
      identity: definition.id_token?.claims,
      userinfo: definition.userinfo?.fields,
    },
    verification,
    access: {
      /** Whether those of some grant are JWTs. */
      isSigned,
      formats: byGrant((type) => accessFormatOf(definition, type)),
      /** What they look like, if that is not the ordinary text. */
      forms: byGrant((type) => accessFormOf(definition, type)),
      /** Of a grant for which the file says nothing of its own. */
      usual: access.format === 'jwt' ? ('jwt' as const) : usualFormOf(definition),
      /** The longest lifetime of all grants' tokens, chosen ones among them. */
      lifetime: milliseconds(Math.max(longestChosen, ...Object.values(lifetimes))),
      lifetimes,
      algorithm: access.algorithm,
      tokenId: access.token_id,
      /** Whether an answer tells the identifier of a token; a JWT always does. */
      tellsIds: isSigned || tellsIds(definition),
      /** `iss` of JWTs. */
      issuer: access.issuer ?? issuer,
      /** `sub` of members' JWTs; undefined where it is the directory's subject. */
      subject: compileAccessSubject(definition, scope),
      /** Whether a new token ends the former of its owner. */
      live: access.live,
      /** Of the client's own tokens that stand beside members'. */
      beside: compileBeside(definition, lifetimes.client_credentials),
      /** The claims that the dialect adds to the standard claims of each JWT. */
      claims: compileClaims(access.claims, tokenWriting(scope)),
    },
    refresh: { ...refresh, ...present({ form: refreshFormOf(definition) }) },
    /** By the use of a token; empty where all tokens are told as their ordinary texts. */
    forms: compileTokenForms(id, definition),
    /** The `sub` of tokens that a client gets for itself. */
    clientSubject: (client: ClientId) => prefix + client,
    /** Whether a subject could be a client's. A member's subject never may (C-9, HOSTILE 34 and 72). */
    isClientSubject: (subject: string) => subject.startsWith(prefix),
    /** Whether some of its tokens are JWTs: then it has signing keys and publishes them. */
    signsTokens: isSigned || refresh.format === 'jwt' || definition.id_token !== undefined,
    ...extras,
    ...present({
      sandbox:
        definition.sandbox &&
        compileSandbox(definition.sandbox, {
          tokenEndpoints,
          login,
          verification,
          ...extras,
        }),
    }),
    throttle,
    members: compileMembers(definition),
    memberNumber: compileMemberNumber(definition),
    /** The forms in which a request can have its answer, by the names that it asks for them with. */
    answerForms: definition.answer_forms ?? {},
    ...compileRenderers(id, definition, { values, scope, tellBudget }),
  };
}

interface Rendering {
  readonly values: ProgrammeValues;
  readonly scope: ScopeRules;
  readonly tellBudget: BudgetWriter | undefined;
}

/** What writes answers, each in the form that its request has chosen. */
function compileRenderers(
  id: ProgrammeId,
  definition: Definition,
  { values, scope, tellBudget }: Rendering,
): { readonly renderTokens: TokenRenderer; readonly renderFailure: FailureRenderer } {
  const renderersOf = (one: Definition) => ({
    renderTokens: compileTokenLayout(one.token_response, values, scope, tellBudget),
    renderFailure: compileErrorMap(id, one, scope.split, tellBudget),
  });
  const usual = renderersOf(definition);
  const others = new Map([...formsOf(definition)].map(([name, one]) => [name, renderersOf(one)]));
  if (others.size === 0) return usual;
  const inForm = (form = ''): typeof usual => others.get(form) ?? usual;
  return {
    renderTokens: (tokens, client, budget, sent, form) =>
      inForm(form).renderTokens(tokens, client, budget, sent),
    renderFailure: (reason, facts) => inForm(facts?.form).renderFailure(reason, facts),
  };
}

function tellsIds(definition: Definition): boolean {
  return treesOf(definition, 'token answer').some((tree) => writtenValues(tree).has('token_id'));
}

/** The optional endpoints that the file turns on. */
function compileExtras(
  id: ProgrammeId,
  definition: Definition,
  publicUrl: string,
  ownPath: string,
  scope: ScopeRules,
) {
  const { introspection, revocation, metadata } = definition;
  const endpoint = (path: string, byGateways: boolean): TokenManagementEndpoint =>
    compileTokenManagement(ownPath + path, definition, { byGateways });
  const identity = compileIdentity(definition, scope);
  return present({
    identity,
    userinfo: compileUserinfo(definition, ownPath, scope),
    introspection: introspection && endpoint(introspection.path, true),
    revocation: revocation && endpoint(revocation.path, false),
    metadata: metadata === 'on' ? compileMetadata(id, definition, publicUrl, ownPath) : undefined,
  });
}

function compileClientRules(
  definition: Definition,
  { issuer, audience, publicUrl }: Readonly<Record<'issuer' | 'audience' | 'publicUrl', string>>,
) {
  const { identifier, authentication } = definition.client;
  const misfit = compileMisfit(identifier);
  // The `aud` of an identity token is a client: it must not be that of another kind of token (HOSTILE 35).
  const others =
    definition.id_token === undefined ? [] : [audience, refreshAudience, ...definition.resources];
  const foreign = others.filter((text) => misfit(text) === undefined);
  // Keys of stores join an identifier and other texts by a line break (HOSTILE 78).
  const fits = (text: string): boolean =>
    misfit(text) === undefined &&
    Buffer.byteLength(text) <= longestIdentifier &&
    !/\p{C}/u.test(text) &&
    !foreign.includes(text);
  const { prefix = '' } = identifier;
  return {
    isIdentifier: fits,
    misfit,
    shape: identifier,
    /** Whether a text can be nothing but an identifier: it begins as only those do. */
    isTellable: (text: string) => prefix.length >= leastPrefix && fits(text),
    newIdentifier: compileGenerator(identifier, usualIdentifierLength) as () => ClientId,
    /** The identifier's shape in words, for messages. */
    identifierForm: [
      describeShape(identifier),
      ...foreign.map((text) => `not ${quote(text)}`),
    ].join(', '),
    /** How clients prove themselves. */
    authentication,
    /** The word before credentials in the Authorization header. */
    scheme: authentication.scheme,
    /** Limit on wrong secrets for one client from one address; undefined where `off`. */
    failureLimit: unlessOff(authentication.failure_limit),
    /** Present where clients sign assertions. */
    assertions: compileAssertionTerms(definition, issuer, publicUrl),
  };
}

/** The selector of each documented path. `check` has made sure that each such endpoint reads it. */
function compileSelectors(definition: Definition): ReadonlyMap<string, SelectorRule> {
  const { selector, authorize, token_endpoints: endpoints, base_path: base } = definition;
  if (selector === undefined) return new Map();
  return new Map(
    [authorize.endpoint, ...Object.values(endpoints)].map(({ path, inputs }) => {
      const input = inputs[selector.input] ?? { required: false };
      const { inHeader, wireName, unwrap, scheme } = compileInput(selector.input, input, '');
      return [
        base + path,
        { inHeader, wireName, unwrap, scheme: scheme?.toLowerCase(), isDefault: selector.default },
      ];
    }),
  );
}

function compileMembers({ members }: Definition): MemberRules {
  const { directory, url, concurrency = usualConcurrency } = members;
  if (directory === 'store') return { directory };
  if (url === undefined) throw new Error('a directory behind a hook needs its address');
  return { directory, url, concurrency };
}

function refreshingOf({ grants }: Definition): ReadonlySet<GrantType> {
  const isOn = (type: GrantType): boolean => {
    if (type === 'jwt_bearer') return false;
    const said = grants[type]?.refresh_token;
    return grantRows[type].isRefreshed === true ? said !== 'off' : said === 'on';
  };
  return new Set(grants.refresh_token === undefined ? [] : offeredGrants({ grants }).filter(isOn));
}

function compileScope(definition: Definition): ScopeRules {
  const { scope } = definition;
  return scope.kind === 'level'
    ? levelScopes(scope.values, scope.client, scope.member_default)
    : listScopes(scope);
}
