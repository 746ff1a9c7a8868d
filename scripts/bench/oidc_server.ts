// Owns the process of oidc-provider with its tokens in a Map: the peer that Jetway is measured beside.

import { generateKeyPairSync } from 'node:crypto';
import { createServer } from 'node:http';
import { createRequire } from 'node:module';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';

import { answerParent, listenAnywhere } from './child.ts';
import { clientId, clientSecret, type Format, redirectUri } from './plan.ts';
import { type ServerCommands, usageCommands } from './server.ts';

/** What is used of oidc-provider's own types, which are not installed with Jetway. */
interface Saved {
  readonly save: () => Promise<string>;
}
interface Provider {
  readonly callback: () => Parameters<typeof createServer>[1];
  readonly Client: { readonly find: (id: string) => Promise<unknown> };
  readonly Grant: new (of: object) => Saved & {
    readonly addOIDCScope: (scope: string) => void;
    readonly addResourceScope: (resource: string, scope: string) => void;
  };
  readonly AuthorizationCode: new (of: object) => Saved;
}

/** What oidc-provider keeps, as its own adapter does, but without that one's limit of 1000. */
const kept = new Map<string, Record<string, unknown>>();
class Adapter {
  readonly #kind: string;
  constructor(kind: string) {
    this.#kind = kind;
  }
  async upsert(id: string, payload: Record<string, unknown>): Promise<void> {
    kept.set(`${this.#kind} ${id}`, payload);
  }
  async find(id: string): Promise<Record<string, unknown> | undefined> {
    return kept.get(`${this.#kind} ${id}`);
  }
  async consume(id: string): Promise<void> {
    const payload = kept.get(`${this.#kind} ${id}`);
    if (payload !== undefined) payload['consumed'] = Math.floor(Date.now() / 1000);
  }
  async destroy(id: string): Promise<void> {
    kept.delete(`${this.#kind} ${id}`);
  }
}

const resource = 'https://api.example';
const account = 'subject-of-ann';

async function open(Made: new (issuer: string, options: object) => Provider, format: Format) {
  const { privateKey } = generateKeyPairSync('ec', { namedCurve: 'P-256' });
  const provider = new Made('http://127.0.0.1', {
    adapter: Adapter,
    jwks: { keys: [{ ...privateKey.export({ format: 'jwk' }), use: 'sig', alg: 'ES256' }] },
    clients: [
      {
        client_id: clientId,
        client_secret: clientSecret,
        redirect_uris: [redirectUri],
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        response_types: ['code'],
        id_token_signed_response_alg: 'ES256',
      },
    ],
    pkce: { required: () => false },
    issueRefreshToken: () => true,
    rotateRefreshToken: () => true,
    findAccount: (_context: unknown, id: string) => ({
      accountId: id,
      claims: () => ({ sub: id }),
    }),
    ttl: { AccessToken: 1800, ClientCredentials: 1800, RefreshToken: 86_400, Grant: 86_400 },
    features: {
      devInteractions: { enabled: false },
      clientCredentials: { enabled: true },
      resourceIndicators: {
        enabled: true,
        defaultResource: () => resource,
        useGrantedResource: () => true,
        getResourceServerInfo: () => ({
          scope: 'api',
          accessTokenFormat: format === 'opaque' ? 'opaque' : 'jwt',
          ...(format === 'opaque' ? {} : { jwt: { sign: { alg: 'ES256' } } }),
        }),
      },
    },
  });
  const port = await listenAnywhere(createServer(provider.callback()));
  const client = await provider.Client.find(clientId);
  /** As after a login that asked for `api offline_access` without an ID token. */
  const mint = async (): Promise<string> => {
    const grant = new provider.Grant({ accountId: account, clientId });
    grant.addOIDCScope('offline_access');
    grant.addResourceScope(resource, 'api');
    const grantId = await grant.save();
    const code = new provider.AuthorizationCode({
      accountId: account,
      client,
      grantId,
      redirectUri,
      resource,
      scope: 'api offline_access',
      gty: 'authorization_code',
    });
    return code.save();
  };
  return { port, mint };
}

const [, , , folder = ''] = process.argv;
// Resolved in the folder of the installation; Jetway does not depend on it.
const path = createRequire(join(folder, 'index.js')).resolve('oidc-provider');
const { Provider: Made } = (await import(pathToFileURL(path).href)) as {
  readonly Provider: Parameters<typeof open>[0];
};
const providers = { opaque: await open(Made, 'opaque'), ES256: await open(Made, 'ES256') };

answerParent<ServerCommands>({
  ...usageCommands(),
  address: (format) => ({ port: providers[format].port, path: '/token', verifyPath: undefined }),
  mint: ({ format, count }) =>
    Promise.all(Array.from({ length: count }, () => providers[format].mint())),
  issue: () => [],
});
