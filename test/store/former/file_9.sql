-- A store file as commit 4578f81 wrote it (schema 9).
PRAGMA application_id = 1248162935;
PRAGMA user_version = 9;
CREATE TABLE removed (
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (kind, programme, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE revocation (
  programme TEXT NOT NULL,
  owner TEXT NOT NULL,
  revoked_until INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, owner)
) STRICT, WITHOUT ROWID;
CREATE TABLE revoked_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE kept_text (
  programme TEXT NOT NULL,
  use TEXT NOT NULL,
  key TEXT NOT NULL,
  kept TEXT NOT NULL,
  mark TEXT NOT NULL,
  ends_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, use, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE registered (
  position INTEGER,
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (position),
  UNIQUE (kind, programme, id),
  UNIQUE (kind, programme, position)
) STRICT;
CREATE TABLE look_up (
  kind TEXT NOT NULL,
  programme TEXT NOT NULL,
  name TEXT NOT NULL,
  key TEXT NOT NULL,
  id TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (kind, programme, name, key, id)
) STRICT, WITHOUT ROWID;
CREATE TABLE login (
  place INTEGER NOT NULL,
  programme TEXT NOT NULL,
  client TEXT NOT NULL,
  subject TEXT NOT NULL,
  level TEXT,
  membership_number TEXT,
  scope TEXT,
  ends_at INTEGER NOT NULL,
  era INTEGER NOT NULL,
  revoked_at INTEGER,
  login_digest BLOB NOT NULL,
  own_scope TEXT,
  state BLOB NOT NULL,
  details TEXT,
  sum INTEGER NOT NULL,
  PRIMARY KEY (place)
) STRICT;
CREATE TABLE code (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  login TEXT NOT NULL,
  client TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  subject TEXT NOT NULL,
  level TEXT,
  membership_number TEXT,
  scope TEXT,
  code_challenge TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  forget_at INTEGER NOT NULL,
  spent_for INTEGER NOT NULL,
  era INTEGER NOT NULL,
  details TEXT,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key),
  UNIQUE (programme, login)
) STRICT;
CREATE TABLE spent_code (
  digest BLOB NOT NULL,
  place INTEGER NOT NULL,
  redirect_uri TEXT NOT NULL,
  code_challenge TEXT,
  sum INTEGER NOT NULL,
  PRIMARY KEY (digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE login_attempt (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL,
  locked_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
CREATE TABLE secret_use (
  programme TEXT NOT NULL,
  client TEXT NOT NULL,
  digest TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (programme, client, digest)
) STRICT, WITHOUT ROWID;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
CREATE TABLE node_lease (
  node INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  facts TEXT
) STRICT;
INSERT INTO revoked_token (programme, key, expires_at, sum) VALUES ('executive-club', 'token', 1767227400000, 1124981850);
INSERT INTO registered (position, kind, programme, id, record, sum) VALUES (1, 'client', 'executive-club', 'partnerapi-00001', '{"programme":"executive-club","id":"partnerapi-00001","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}', 866159959);
INSERT INTO registered (position, kind, programme, id, record, sum) VALUES (2, 'member', 'executive-club', 'subject-1', '{"programme":"executive-club","subject":"subject-1","username":"zoë@example.com","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA","level":"AUTHN-LEVEL-12","membershipNumber":"1234567890123456","properties":{"tier":"gold","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}', -1020835678);
INSERT INTO look_up (kind, programme, name, key, id, sum) VALUES ('client', 'executive-club', 'api_key', 'digest-of-key', 'partnerapi-00001', -849423575);
INSERT INTO look_up (kind, programme, name, key, id, sum) VALUES ('client', 'executive-club', 'secret', 'digest-of-secret', 'partnerapi-00001', -2128637386);
INSERT INTO look_up (kind, programme, name, key, id, sum) VALUES ('member', 'executive-club', 'username', 'zoë@example.com', 'subject-1', -1544104745);
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, revoked_at, login_digest, own_scope, state, details, sum) VALUES (775736524800000, 'executive-club', 'partnerapi-00001', 'subject-1', '', '1234567890123456', 'AUTHN-LEVEL-12', 1769817600000, 1, NULL, x'428821350e9691491f616b75', NULL, x'00000001a7937b64b8caa58f03721bb6bacf5c7878377b525757b494427f890100019b76daa80000001b77400005265c00000000271000000000000001019b7c010400', '-349599174 {"properties":{"tier":"gold","__proto__":"Zoë’s"}}', -267687107);
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, revoked_at, login_digest, own_scope, state, details, sum) VALUES (775736528896000, 'executive-club', 'partnerapi-00001', 'subject-1', '', '1234567890123456', 'AUTHN-LEVEL-12', 1769817600000, 1, 1767225602000, x'428821350e9691491f616b75', NULL, x'00000001a7937b64b8caa58f03721bb6bacf5c7878377b525757b494427f890100019b76daa80000001b77400005265c00000000271000000000000001019b7c010400', '-349599174 {"properties":{"tier":"gold","__proto__":"Zoë’s"}}', -1400174548);
INSERT INTO code (programme, key, login, client, redirect_uri, subject, level, membership_number, scope, code_challenge, issued_at, expires_at, forget_at, spent_for, era, details, sum) VALUES ('executive-club', 'VpTQii5T_8rgwxA-Wtb2B2q9lg6x-KVldwQLwQKPcCs', 'login-1', 'partnerapi-00001', '52zxn-Gur3hdGlcAQAWhKX23ztQhXrtXm-fz9Awmljc', 'subject-1', NULL, NULL, 'AUTHN-LEVEL-12', 'E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM', 1767225600000, 1767225720000, 1767229200000, 775736524800000, 1, '-1993204080 {"properties":{"tier":"gold"},"nonce":"n-0S6_WzA2Mj"}', 1735029798);
INSERT INTO meta (name, value) VALUES ('created_at', '2026-01-01T00:00:00.000Z');
INSERT INTO meta (name, value) VALUES ('environment', 'staging');
INSERT INTO meta (name, value) VALUES ('recorded_time', '1767225603000');
INSERT INTO meta (name, value) VALUES ('recorded_uptime', '5477810 00000000-0000-4000-8000-000000000000');
