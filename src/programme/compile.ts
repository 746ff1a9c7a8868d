// Owns compilation: a valid Definition becomes a frozen Programme.

import { milliseconds } from '../lib/clock.ts';
import { quote } from '../lib/fault.ts';
import { present } from '../lib/present.ts';
import { type ClientId, longestIdentifier, type ProgrammeId } from '../oauth/client.ts';
import { byGrant, type GrantType, refreshedGrants } from '../oauth/grant.ts';
import { levelScopes, listScopes, type ScopeRules } from '../oauth/scope.ts';
import { refreshAudience } from '../token/jwt.ts';
import { accessFormatOf, signsAccess } from './access_formats.ts';
import { compileBudgetHeaders } from './answers/budget_headers.ts';
import { compileErrorMap } from './answers/error_map.ts';
import { compileIdentity, compileUserinfo } from './answers/identity.ts';
import { compileMemberNumber } from './answers/member_number.ts';
import { compileMetadata } from './answers/metadata.ts';
import { compileTokenLayout, tokenWriting } from './answers/token_layout.ts';
import { compileClaims } from './answers/tree_writer.ts';
import { usualCodeLength, usualIdentifierLength } from './checks/given_out.ts';
import type { Definition } from './language/definition.ts';
import { unlessOff } from './language/limits.ts';
import { compileGenerator, compileMisfit, describeShape } from './language/value_shape.ts';
import type { Logos } from './login/logos.ts';
import { compileLogin } from './login/rules.ts';
import type { ClientRules, MemberRules, Programme, SelectorRule } from './programme.ts';
import { compileAssertionTerms } from './requests/assertion_terms.ts';
import { offeredGrants } from './requests/grant_places.ts';
import { compileInput } from './requests/inputs.ts';
import { compileTokenEndpoint } from './requests/token_endpoint.ts';
import {
  compileTokenManagement,
  type TokenManagementEndpoint,
} from './requests/token_management.ts';
import { compileVerification } from './requests/verification.ts';
import { compileSandbox } from './sandbox/sandbox.ts';
import { compileTokenForms } from './token_forms.ts';

/** Characters of a prefix by which an identifier is told from a secret. */
const leastPrefix = 3;

/** Concurrent calls to a member directory: 32 calls of 50 ms each are 640 logins a second. */
const usualConcurrency = 32;

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
  const clients = compileClientRules(definition, { issuer, audience, publicUrl });
  const login = compileLogin(definition, { ownPath, issuer }, logos);
  const verification = compileVerification(definition, scope);
  const tokenEndpoints = Object.entries(definition.token_endpoints).map(([name, endpoint]) =>
    compileTokenEndpoint(name, endpoint, definition),
  );
  const extras = compileExtras(id, definition, publicUrl, ownPath, scope);
  const lifetimes = byGrant((type) => definition.grants[type]?.access_lifetime ?? access.lifetime);
  return Object.freeze({
    id,
    name: definition.name,
    identifier: definition.programme_identifier,
    basePath: definition.base_path,
    ownPath,
    selectors: compileSelectors(definition),
    issuer,
    audience,
    requestIdHeader: definition.request_id === 'none' ? undefined : definition.request_id,
    values,
    clients,
    assertionSubjects: definition.grants.jwt_bearer?.subject ?? [],
    login,
    code: {
      generate: compileGenerator(definition.code, usualCodeLength),
      lifetime: definition.code.lifetime,
      misfit: compileMisfit(definition.code),
    },
    tokenEndpoints,
    grants: new Set(offeredGrants(definition)),
    refreshing: refreshingOf(definition),
    scope,
    verification,
    access: {
      isSigned,
      formats: byGrant((type) => accessFormatOf(definition, type)),
      lifetime: milliseconds(Math.max(...Object.values(lifetimes))),
      lifetimes,
      algorithm: access.algorithm,
      tokenId: access.token_id,
      live: access.live,
      claims: compileClaims(access.claims, tokenWriting(scope)),
    },
    refresh,
    forms: compileTokenForms(id, definition),
    clientSubject: (client: ClientId) => prefix + client,
    isClientSubject: (subject: string) => subject.startsWith(prefix),
    signsTokens: isSigned || refresh.format === 'jwt' || definition.id_token !== undefined,
    ...extras,
    ...(definition.sandbox && {
      sandbox: compileSandbox(definition.sandbox, {
        tokenEndpoints,
        clients,
        login,
        verification,
        ...extras,
      }),
    }),
    throttle,
    members: compileMembers(definition),
    memberNumber: compileMemberNumber(definition),
    renderTokens: compileTokenLayout(definition.token_response, values, scope, tellBudget),
    renderFailure: compileErrorMap(id, definition, scope.split, tellBudget),
  });
}

/** The optional endpoints that the file turns on. */
function compileExtras(
  id: ProgrammeId,
  definition: Definition,
  publicUrl: string,
  ownPath: string,
  scope: ScopeRules,
): Pick<Programme, 'introspection' | 'revocation' | 'metadata' | 'identity' | 'userinfo'> {
  const { introspection, revocation, metadata } = definition;
  const endpoint = (path: string, byGateways: boolean): TokenManagementEndpoint =>
    compileTokenManagement(ownPath + path, definition, { byGateways });
  const identity = compileIdentity(definition, scope);
  return present({
    identity,
    userinfo: compileUserinfo(definition, ownPath, scope, identity),
    introspection: introspection && endpoint(introspection.path, true),
    revocation: revocation && endpoint(revocation.path, false),
    metadata: metadata === 'on' ? compileMetadata(id, definition, publicUrl, ownPath) : undefined,
  });
}

function compileClientRules(
  definition: Definition,
  { issuer, audience, publicUrl }: Pick<Programme, 'issuer' | 'audience'> & { publicUrl: string },
): ClientRules {
  const { identifier, authentication } = definition.client;
  const misfit = compileMisfit(identifier);
  // The `aud` of an identity token is a client: it must not be that of another kind of token (HOSTILE 35).
  const others = definition.id_token === undefined ? [] : [audience, refreshAudience];
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
    isTellable: (text) => prefix.length >= leastPrefix && fits(text),
    newIdentifier: compileGenerator(identifier, usualIdentifierLength) as () => ClientId,
    identifierForm: [
      describeShape(identifier),
      ...foreign.map((text) => `not ${quote(text)}`),
    ].join(', '),
    authentication,
    scheme: authentication.scheme,
    failureLimit: unlessOff(authentication.failure_limit),
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
      return [base + path, { inHeader, wireName, unwrap, scheme, isDefault: selector.default }];
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
    return refreshedGrants.includes(type) ? said !== 'off' : said === 'on';
  };
  return new Set(grants.refresh_token === undefined ? [] : offeredGrants({ grants }).filter(isOn));
}

function compileScope(definition: Definition): ScopeRules {
  const { scope } = definition;
  return scope.kind === 'level'
    ? levelScopes(scope.values, scope.client, scope.member_default)
    : listScopes(scope);
}
