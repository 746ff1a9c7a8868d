// Owns what the language does not have although operators look for it: words of other services and
// of RFCs, each with what to do instead. A line holds the words, a colon, and what is said of them.

/** Words for keys, of whatever map. */
const absentKeys = `
implicit: there is no implicit flow: RFC 9700 2.1.2 advises against it; use the code with authorize.pkce
hybrid response_types: there is one response_type, code: name other spellings under allowed of that input
response_mode: there is no response_mode: the callback is a redirect, and authorize.answer says how it is sent
device_code device_authorization device_flow ciba backchannel_authentication: there is no grant by another device (RFC 8628, CIBA): a login ends on the browser that began it
par pushed_authorization pushed_authorization_requests pushed_authorization_request_endpoint require_pushed_authorization_requests request_object request_objects request_uri jar jarm signed_request: there are no pushed or signed login requests (RFC 9126, RFC 9101): what a client may ask for is registered with it
dpop sender_constrained proof_of_possession token_binding: there is no DPoP (RFC 9449): access tokens are bearer tokens; clients prove themselves by client.authentication.methods
mtls mutual_tls client_certificate client_certificates: certificates of clients are methods of client.authentication.methods: tls_client_auth, self_signed_tls_client_auth
registration dynamic_registration dynamic_client_registration registration_endpoint dcr software_statement: there is no dynamic registration (RFC 7591): see jetway client add and jetway client import
clients client_id client_secret client_secrets redirect_uris redirect_urls callback_url callback_urls apps api_keys: clients are in the store and not in this file: see jetway client add
acr acr_values amr step_up authentication_context: there is no acr: scopes of kind level say how a member must have logged in (docs/programme-reference.md, Scope)
prompt login_hint id_token_hint: there is no such setting: each login request leads to the login page; unknown inputs are ignored
consent consent_page consent_screen approval approval_prompt: there is no consent page: operators decide what a client may do when they add it
session sessions sso single_sign_on remember_me keep_me_signed_in session_lifetime: there is no session at the login page: each login asks for the password; tokens.refresh says how long a login lasts
logout end_session end_session_endpoint backchannel_logout frontchannel_logout sign_out: there is no logout endpoint: a client gives up its tokens by revocation (RFC 7009)
resource resources resource_indicators audiences: there is one audience, for all access tokens: write audience
authorization_details rar: there are no rich authorization requests (RFC 9396): say what is asked for by scope
jwe encryption encrypt encrypted: there are no encrypted tokens: JWTs are signed (tokens.access.algorithm), opaque tokens say nothing
signing_key signing_keys private_key public_key kid jwks_path: keys are in the store and not in this file: see jetway key list and jetway key rotate
iss public_url host hostname domain listen port proxy trusted_proxies: addresses are in the configuration and not in this file: public_url and listen (docs/operators.md)
tls ssl https logging log logs debug tracing store database workers: this is in the configuration and not in a programme file (docs/operators.md)
discovery openid_configuration well_known: write metadata: on
users user user_store user_database accounts customers: members are in the store or behind a hook, and not in this file: see jetway member add and docs/member-directory.md
mfa otp totp two_factor 2fa second_factor webauthn passkey passkeys sms: there is no second factor: the login page asks for username and password, and a directory behind a hook says which level that is (docs/member-directory.md)
password_policy password_policies password_rules password_length password_strength: there is no password policy: whoever sets the passwords of members has one (docs/member-directory.md)
signup sign_up register registration_page forgot_password password_reset reset_password: there is no such page: login.help leads members to yours
social social_login identity_provider identity_providers idp idps providers federation upstream saml saml2 ldap active_directory kerberos oidc google facebook apple: there is no login by another service: a hook (members.directory: http) can ask one for username and password (docs/member-directory.md)
captcha recaptcha hcaptcha: there is no captcha: login.lockout and login.address_limit stop guessing
css stylesheet theme html template_html favicon: the login page has no style sheet of yours: login.colours, login.logo and login.languages shape it
rate_limit rate_limits ratelimit rate_limiting quota quotas: write throttle for token requests, login.address_limit for logins, client.authentication.failure_limit for secrets
cors allowed_origins allow_origin access_control origins web_origins: there is no CORS: token endpoints are called by servers; a proxy in front can add the headers
ip_whitelist ip_allowlist allowed_ips whitelist allowlist blacklist denylist: there are no lists of addresses: a firewall or proxy in front has them
hook hooks script scripts plugin plugins extension extensions lambda function functions action actions rule rules code_hook javascript js lua: there are no scripts: what a dialect does is said by keys; members can be asked of a service (docs/member-directory.md)
webhook webhooks event events event_url notify notification notifications callbacks: there are no webhooks: the log and the audit stream tell what happened (docs/operations.md)
template templates format_string expression expressions mapping mappings transform: there are no templates: answers are made of fields, and texts of several by joined: [ … ]
regex regexp regular_expression pattern patterns matches match validation validate validator: there are no patterns: say prefix, characters and length, or list what is allowed
if when unless condition conditions case cases switch: there are no conditions: fields have only and first, failures have when_missing and when_invalid
env environment environment_variables variables vars secrets: a programme file reads no variables and holds no secrets: the configuration does (docs/operators.md)
include includes import imports extends inherits inherit parent $ref ref refs anchors definitions <<: there are no includes: a file is laid over one variant, and says what differs
enabled disabled active status_page maintenance: a programme is switched off by jetway maintenance on, or by taking its file away and jetway reload
description comment comments note notes documentation: write it as a comment, behind #
graphql soap grpc websocket: there is no such protocol: requests are forms, queries, JSON or XML (read)
expires_in expires expiry expiration ttl max_age_seconds validity: write lifetime, with a unit: 30m
parameters params arguments body: write inputs
endpoints token_url token_uri token_path: write token_endpoints: { NAME: { path: … } }
authorization_endpoint authorize_url authorization_url auth_url authorize_path: write authorize: { endpoint: { path: … } }
response responses answer_fields: write token_response, and errors for failures
grant_types: write grants: { authorization_code: { endpoint: … } }
`;

/** Words for values and names at certain places. */
const absentValues: readonly (readonly [place: RegExp, lines: string])[] = [
  [
    /^scope$/,
    `
none off no: write { kind: list, values: [], client: null, member_default: null }: there are no scopes then
`,
  ],
  [
    /^client\.authentication\.methods\.\d+$/,
    `
client_secret_basic header authorization http_basic: write basic
client_secret_post post body form query request: write parameters
client_secret_jwt: there is no such method: Jetway keeps a digest of each secret, which verifies no signature
jwt jwt_bearer client_assertion: write private_key_jwt
api_key apikey bearer token: write secret
public anonymous: write none
mtls tls certificate client_certificate: write tls_client_auth or self_signed_tls_client_auth
digest hmac oauth1 negotiate kerberos aws: there is no such method: secrets, assertions and certificates prove a client
`,
  ],
  [
    /^grants\.[^.]+$/,
    `
implicit token: there is no implicit grant: RFC 9700 2.1.2 advises against it
device_code device urn:ietf:params:oauth:grant-type:device_code ciba: there is no device grant (RFC 8628)
saml2_bearer saml urn:ietf:params:oauth:grant-type:saml2-bearer: there is no SAML grant (RFC 7522)
code auth_code authorization: write authorization_code; what clients send is its grant_type
refresh: write refresh_token; what clients send is its grant_type
resource_owner_password ropc password_credentials: write password; what clients send is its grant_type
urn:ietf:params:oauth:grant-type:jwt-bearer assertion: write jwt_bearer; what clients send is its grant_type
urn:ietf:params:oauth:grant-type:token-exchange exchange: write token_exchange; what clients send is its grant_type
`,
  ],
  [
    /^tokens\.refresh\.[^.]+$/,
    `
idle: write lifetime, which each use begins anew
reuse: write rotation: off
`,
  ],
  [
    /\.algorithm$/,
    `
HS256 HS384 HS512 none: there are no signatures by a shared secret: ES256 or RS256, with a key set
RS384 RS512 PS256 PS384 PS512 ES384 ES512 EdDSA Ed25519: access tokens are signed with ES256 or RS256
`,
  ],
  [
    /^tokens\..+\.format$/,
    `
reference random uuid handle: write opaque
paseto macaroon saml jwe: there is no such token: opaque or jwt
`,
  ],
  [
    /\.inputs\.[^.]+\.format$/,
    `
uuid email url uri date date-time number integer: there is no such format: say characters and length, or list what is allowed
`,
  ],
  [
    /\.as$/,
    `
iso iso8601 iso_8601 rfc3339 datetime timestamp_iso: write date_time
unix unixtime unix_time timestamp epoch_seconds: write epoch
ms millis: write milliseconds, or epoch_milliseconds for a point in time
string number: write it as type, beside as
array: write list
hours days: there is no such unit: seconds, minutes or milliseconds
`,
  ],
  [
    /\.characters$/,
    `
hex: write lower_hex or upper_hex
numeric number numbers: write digits
alphanum alnum ascii any: write alphanumeric, visible or printable
uuid base64: there is no such class: base64url, or visible for anything without spaces
`,
  ],
  [
    /\.(?:read|in)(?:\.\d+)?$/,
    `
body urlencoded x-www-form-urlencoded application/x-www-form-urlencoded post: write form
application/json: write json
multipart multipart/form-data: there are no multipart bodies: form, json or xml
cookie: there are no inputs in cookies: only browsers send them, and a login has its own
`,
  ],
  [
    /\.pkce$/,
    `
S256 plain: S256 is the only method: write required, optional or off
`,
  ],
  [
    /\.methods\.\d+$/,
    `
PUT PATCH DELETE: there are no other methods than GET and POST
`,
  ],
];

type Hints = ReadonlyMap<string, string>;

function hintsIn(lines: string): Hints {
  return new Map(
    lines
      .trim()
      .split('\n')
      .flatMap((line) => {
        const [words = '', ...text] = line.split(': ');
        return words.split(' ').map((word) => [word, text.join(': ')] as const);
      }),
  );
}

/** What is said of each word for a key that the language does not have anywhere. */
export const hintsOfKeys: Hints = hintsIn(absentKeys);

export const hintsOfValues: readonly (readonly [place: RegExp, hints: Hints])[] = absentValues.map(
  ([place, lines]) => [place, hintsIn(lines)],
);
