// Owns the endpoints of a programme's routes: their methods, and what answers a wrong one or too many requests.

import {
  ownMethods,
  tooManyAtOnce,
  wrongMethod as wrongMethodCause,
} from '../engine/causes/trouble.ts';
import {
  allowOrigin,
  allowPreflight,
  claimedAt,
  claimedByToken,
  type CrossOriginTerms,
  varying,
} from '../engine/cross_origin.ts';
import { renderFailure, type ReportedFailure, reportFailure } from '../engine/failure.ts';
import { answerUserinfo } from '../engine/identity/userinfo.ts';
import { answerIntrospection } from '../engine/introspection.ts';
import { answerRevocation } from '../engine/revocation.ts';
import type { Service } from '../engine/service.ts';
import { answerTokenRequest } from '../engine/token_request.ts';
import { jsonReply, type Reply } from '../oauth/reply.ts';
import type { RequestRecord } from '../oauth/request_record.ts';
import type { RequestHead } from '../oauth/wire_request.ts';
import type { FormChooser } from '../programme/answers/forms.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import { managementMethods } from '../programme/requests/token_management.ts';
import type { EndpointRoute } from '../programme/routes.ts';
import { keySetMaxAge, renderKeySet } from '../token/signing_keys.ts';
import { type Endpoint, type HeadReply, type Load, unasked } from './endpoints.ts';
import { handleLoginPage, handleLoginRequest, type LoginSite, textsFor } from './login_handlers.ts';
import { renderPicture } from './login_pages.ts';
import { noting, orPage } from './missing_pages.ts';
import { withHeaders } from './respond.ts';
import type { WorkKind } from './waiting_line.ts';

/** `all` where gateways have no listener of their own. */
export type Listener = 'all' | 'main' | 'gateway';

/** @param allowed the methods of the whole path, where it has other endpoints for other methods */
export function endpointOf(
  site: LoginSite,
  route: EndpointRoute,
  listener: Listener,
  allowed?: ReadonlySet<string>,
): Endpoint {
  const { service } = site;
  switch (route.kind) {
    case 'token':
      return forPages(
        service,
        {
          headers: headersOf(route.endpoint.endpoints),
          claimed: claimedAt(service, route.endpoint.choose),
        },
        dialectEndpoint(
          service,
          'token',
          route.endpoint.methods,
          (request) => answerTokenRequest(service, route.endpoint.choose(request), request),
          { allowed, chosenForm: chosenFormAt(route.endpoint.endpoints) },
        ),
      );
    case 'introspection':
      return dialectEndpoint(service, 'verify', managementMethods, (request) =>
        answerIntrospection(service, route.endpoint, request),
      );
    case 'revocation':
      return forPages(
        service,
        { headers: headersOf([route.endpoint]), claimed: claimedAt(service, () => route.endpoint) },
        dialectEndpoint(service, 'token', managementMethods, (request) =>
          answerRevocation(service, route.endpoint, request),
        ),
      );
    case 'userinfo':
      return forPages(
        service,
        { headers: ['Authorization'], claimed: claimedByToken(service) },
        dialectEndpoint(service, 'verify', readAndPost, (request) =>
          answerUserinfo(service, route.userinfo, request),
        ),
      );
    case 'login_request':
      return browserEndpoint(
        site,
        service.programme.login.endpoint.methods,
        (request) => handleLoginRequest(site, request),
        allowed,
      );
    case 'login_page':
      return browserEndpoint(site, readAndPost, (request) => handleLoginPage(site, request));
    case 'picture': {
      const picture = renderPicture(route.picture);
      return plainEndpoint(readOnly, () => picture);
    }
    case 'key_set': {
      const { keys } = service;
      if (keys.length === 0) throw new Error(`${service.programme.id} signs no tokens`);
      // RFC 7517, read at each request.
      return plainEndpoint(readOnly, ({ record }) => {
        try {
          const jwks = keys.flatMap((one) => one.jwks());
          return published('application/jwk-set+json', renderKeySet(jwks));
        } catch (error) {
          // While a key is damaged (FAULTS 36): a verifier goes on with the key set that it has.
          const failure = reportFailure(service, error, record);
          record.failure = failure;
          return renderFailure(service, failure);
        }
      });
    }
    case 'metadata': {
      const offered = { introspection: listener === 'all', keySet: service.keys.length > 0 };
      const reply = published('application/json', route.metadata.document(offered));
      return forPages(
        service,
        { headers: [] },
        plainEndpoint(readOnly, () => reply),
      );
    }
    case 'verification':
      break;
  }
  throw new Error('verify has many paths, and is mounted by itself');
}

const readOnly: ReadonlySet<string> = new Set(['GET']);
const readAndPost: ReadonlySet<string> = new Set(['GET', 'POST']);

/** The form that a request to one of these chooses by its head; the body may tell which of them it is for. */
function chosenFormAt(endpoints: readonly TokenEndpoint[]): FormChooser | undefined {
  const choosers = endpoints.flatMap(({ chosenForm }) => chosenForm ?? []);
  if (choosers.length === 0) return undefined;
  return (head) => choosers.map((choose) => choose(head)).find((form) => form !== undefined);
}

/** The endpoint as pages of other origins reach it, if the file lets them. */
function forPages(service: Service, terms: CrossOriginTerms, endpoint: Endpoint): Endpoint {
  if (!service.programme.isCrossOrigin) return endpoint;
  // Whose origin it is, the store is asked.
  const { load = unasked, methods, wrongMethod, answer } = endpoint;
  const tooMany: Load['tooMany'] = async (head, retryAfter) =>
    varying(await load.tooMany(head, retryAfter));
  return {
    ...endpoint,
    load: { ...load, tooMany },
    wrongMethod: async (head) => varying(await wrongMethod(head)),
    preflight: (head) => allowPreflight(service, methods, terms, head),
    answer: async (request) => allowOrigin(service, terms, request, await answer(request)),
  };
}

/** The headers that requests may have, beside those that any page may send. */
function headersOf(endpoints: readonly Pick<TokenEndpoint, 'reading'>[]): readonly string[] {
  const usual = ['Authorization', 'Content-Type'];
  const inputs = endpoints.flatMap(({ reading }) => reading.inputs);
  const named = inputs.filter(({ inHeader }) => inHeader).map((one) => one.writtenName);
  const isUsual = (name: string): boolean => /^(?:authorization|content-type)$/i.test(name);
  return [...usual, ...new Set(named.filter((name) => !isUsual(name)))];
}

/**
 * A document that anybody may fetch. The key set's age is also the metadata's: a key signs only once
 * every verifier that kept the key set this long has fetched it anew.
 */
function published(type: string, body: string): Reply {
  return Object.freeze({
    status: 200,
    headers: { 'Content-Type': type, 'Cache-Control': `public, max-age=${keySetMaxAge}` },
    body,
  });
}

/** Every answer, also to a wrong method, is in the dialect's words. */
function dialectEndpoint(
  service: Service,
  kind: WorkKind,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
  {
    allowed = methods,
    chosenForm,
  }: {
    readonly allowed?: ReadonlySet<string> | undefined;
    readonly chosenForm?: FormChooser | undefined;
  } = {},
): Endpoint {
  const { clock } = service;
  const formOf = (head: RequestHead): Pick<RequestRecord, 'form'> => ({ form: chosenForm?.(head) });
  const load: Load = {
    kind,
    tooMany: (head, retryAfter) =>
      renderFailure(service, tooMany(service, retryAfter, head.record), formOf(head)),
  };
  const allow = [...allowed].join(', ');
  const cause = wrongMethodCause(allowed);
  const wrongMethod: HeadReply = (head) => {
    const facts = { allow, at: clock.now(), cause };
    const failure: ReportedFailure = { reason: 'method_not_allowed', facts };
    head.record.failure = failure;
    return renderFailure(service, failure, formOf(head));
  };
  return { load, methods, wrongMethod, answer };
}

export function tooMany(
  { clock }: Service,
  retryAfter: number,
  record: RequestRecord,
): ReportedFailure {
  const facts = { retryAfter, at: clock.now(), cause: tooManyAtOnce };
  const failure: ReportedFailure = { reason: 'temporarily_unavailable', facts };
  record.failure = failure;
  return failure;
}

function plainEndpoint(methods: ReadonlySet<string>, answer: Endpoint['answer']): Endpoint {
  const refusal = withHeaders(methodNotAllowed, allow(methods));
  const wrongMethod = noting(refusal, 'method_not_allowed', () => ownMethods(methods));
  return { methods, wrongMethod, answer };
}

/** Browsers get a page also for a wrong method (P-3). */
function browserEndpoint(
  site: LoginSite,
  methods: ReadonlySet<string>,
  answer: Endpoint['answer'],
  allowed = methods,
): Endpoint {
  const refusal = withHeaders(methodNotAllowed, allow(allowed));
  const { service, pages, pageHeaders } = site;
  const load: Load = {
    kind: 'login',
    tooMany: async (head, retryAfter) => {
      tooMany(service, retryAfter, head.record);
      const page = await pages.standing('difficulties', textsFor(service.programme, head), 503);
      return withHeaders(page, { 'Retry-After': `${retryAfter}`, ...pageHeaders });
    },
  };
  const page = orPage(site, 'wrong_method', refusal, allow(allowed));
  const wrongMethod = noting(page, 'method_not_allowed', () => wrongMethodCause(allowed));
  const dressed: Endpoint['answer'] = async (request) =>
    withHeaders(await answer(request), pageHeaders);
  return { load, methods, wrongMethod, answer: dressed };
}

function allow(methods: ReadonlySet<string>): { readonly Allow: string } {
  return { Allow: [...methods].join(', ') };
}

const methodNotAllowed = jsonReply(405, { error: 'method_not_allowed' });
