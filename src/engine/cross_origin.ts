// Owns the CORS protocol (Fetch 3.3): which answers pages of other origins may read, by the origins that are
// registered for public clients. Cookies and other credentials of browsers never go along.

import { type Client, type ClientId, longestOrigin } from '../oauth/client.ts';
import type { Reply } from '../oauth/reply.ts';
import { headerValues, type RequestHead, type WireRequest } from '../oauth/wire_request.ts';
import type { TokenEndpoint } from '../programme/requests/token_endpoint.ts';
import { renderFailure, reportFailure } from './failure.ts';
import { proveAnyAge } from './presented/access_token.ts';
import { readBearer } from './presented/bearer.ts';
import type { Service } from './service.ts';

/** What pages may send to an endpoint, and whose answers they are. */
export interface CrossOriginTerms {
  /** Request headers beside those that any page may send. */
  readonly headers: readonly string[];
  /**
   * The client that a request names where its steps did not come so far; throws where it names none. Left
   * out where answers are for all clients.
   */
  readonly claimed?: (request: WireRequest) => Promise<string | undefined> | string | undefined;
}

/** Seconds for which browsers may keep the answer to a preflight; the real answer says no by itself. */
const preflightMaxAge = 300;

/**
 * The answer to a preflight from an origin of any client: a preflight names no client. Undefined for any
 * other request, which is answered as if there were no such protocol (HOSTILE 45).
 */
export async function allowPreflight(
  service: Service,
  methods: ReadonlySet<string>,
  { headers }: CrossOriginTerms,
  head: RequestHead,
): Promise<Reply | undefined> {
  const origin = originOf(head);
  const isPreflight = headerValues(head, 'access-control-request-method').length === 1;
  if (origin === undefined || !isPreflight) return undefined;
  const { record } = head;
  try {
    if (!(await isAnyClients(service, origin))) return undefined;
  } catch (error) {
    const failure = reportFailure(service, error, record);
    record.failure = failure;
    return varying(renderFailure(service, failure));
  }
  record.endpoint = { ...record.endpoint, kind: 'preflight' };
  return {
    status: 204,
    headers: {
      'Access-Control-Allow-Origin': origin,
      'Access-Control-Allow-Methods': [...methods].join(', '),
      ...(headers.length === 0 ? {} : { 'Access-Control-Allow-Headers': headers.join(', ') }),
      'Access-Control-Max-Age': `${preflightMaxAge}`,
      Vary: 'Origin',
    },
    body: '',
  };
}

/**
 * The answer, a refusal too, as pages of the client's own origins can read it. Without a client that is known
 * no page can. Never rejects.
 */
export async function allowOrigin<Any extends Pick<Reply, 'headers'>>(
  service: Service,
  { claimed }: CrossOriginTerms,
  request: WireRequest,
  answer: Any,
): Promise<Any> {
  const origin = originOf(request);
  const isAllowed =
    origin !== undefined &&
    (await (
      claimed === undefined
        ? isAnyClients(service, origin)
        : isItsOwn(service, origin, request, claimed)
    ).catch(() => false));
  const { requestIdHeader } = service.programme;
  const exposed = [
    'WWW-Authenticate',
    'Retry-After',
    ...(requestIdHeader ? [requestIdHeader] : []),
  ];
  const varied = varying(answer);
  if (!isAllowed) return varied;
  const headers = {
    ...varied.headers,
    'Access-Control-Allow-Origin': origin,
    'Access-Control-Expose-Headers': exposed.join(', '),
  };
  return { ...varied, headers };
}

/** The origin of the page that sends a request; undefined for several, and for `null`, which many share. */
function originOf(request: Pick<WireRequest, 'rawHeaders'>): string | undefined {
  const [origin = '', another] = headerValues(request, 'origin');
  const isOne = another === undefined && origin.length <= longestOrigin;
  return isOne && /^https?:\/\//.test(origin) ? origin : undefined;
}

/** The answer as one that depends on the origin. A dialect may have a `Vary` of its own, in any case. */
export function varying<Any extends Pick<Reply, 'headers'>>(answer: Any): Any {
  const { headers } = answer;
  const name = Object.keys(headers).find((one) => one.toLowerCase() === 'vary') ?? 'Vary';
  const own = headers[name];
  const value = own === undefined ? 'Origin' : `${own}, Origin`;
  return { ...answer, headers: { ...headers, [name]: value } };
}

/** Whether the origin is registered for a client of the programme. */
async function isAnyClients({ store, programme }: Service, origin: string): Promise<boolean> {
  const found = await store.findBy('client', 'origin', programme.id, origin);
  return found.some((client) => allows(client, origin));
}

async function isItsOwn(
  { store, programme }: Service,
  origin: string,
  request: WireRequest,
  claimed: NonNullable<CrossOriginTerms['claimed']>,
): Promise<boolean> {
  const id = request.record.client ?? (await claimed(request));
  if (id === undefined) return false;
  return allows(await store.find('client', programme.id, id as ClientId), origin);
}

/** The secret of another client than a public one has no place in a page. */
function allows(client: Client | undefined, origin: string): boolean {
  const { status, isPublic, origins = [] } = client ?? {};
  return status === 'active' && isPublic === true && origins.includes(origin);
}

/** Whom a request names that was refused before it was read: in maintenance, or by the sandbox. */
export function claimedAt(
  { provenHeaders }: Service,
  endpointOf: (request: WireRequest) => Pick<TokenEndpoint, 'readInputs' | 'readCredentials'>,
): NonNullable<CrossOriginTerms['claimed']> {
  return (request) => {
    const endpoint = endpointOf(request);
    return endpoint.readCredentials(request, endpoint.readInputs(request), provenHeaders).id;
  };
}

/** Whose token a request shows that was refused, often since the token has expired. */
export function claimedByToken(service: Service): NonNullable<CrossOriginTerms['claimed']> {
  return async (request) => {
    const bearer = readBearer(service, request, ['userinfo']);
    return bearer && (await proveAnyAge(service, bearer, service.clock.now()))?.client;
  };
}
