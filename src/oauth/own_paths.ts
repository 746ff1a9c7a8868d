// Owns the paths and the names of cookies that are Jetway's own, which no dialect chooses.

/** With this the names of the login's cookies begin, on https after `__Host-`. */
export const ownCookies = 'jetway_';

/** Paths below a programme's own path: `/NAME/login`. */
export const programmePaths = {
  /** Unless the file says another. */
  login: '/login',
  /** The login page's pictures. */
  pictures: '/login/assets/',
  /** Gateways ask at every path below this one (C-4). */
  verify: '/verify/',
  keySet: '/.well-known/jwks.json',
  /** OpenID Connect Discovery 4. */
  discovery: '/.well-known/openid-configuration',
} as const;

/** Paths of the whole service; `live`, `ready` and `metrics` are on the operators' listener. */
export const servicePaths = {
  /** RFC 8414 3.1: what follows is the path of a programme's issuer. */
  metadata: '/.well-known/oauth-authorization-server',
  live: '/livez',
  ready: '/readyz',
  metrics: '/metrics',
  /** Of `jetway dev` alone. */
  demo: '/demo/',
} as const;
