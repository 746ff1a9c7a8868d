-- Owns a store as schema 1 wrote it (commit 307c1ec); kept as it is, for the migration's tests.
PRAGMA application_id = 1248162935;
PRAGMA user_version = 1;
BEGIN TRANSACTION;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('created_at','2026-01-01T00:00:00.000Z');
INSERT INTO meta VALUES('environment','staging');
CREATE TABLE client (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (programme, id)
) STRICT;
INSERT INTO client VALUES(1,'executive-club','partnerapi-00001','{"programme":"executive-club","id":"partnerapi-00001","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}');
INSERT INTO client VALUES(2,'executive-club','partnerapi-00002','{"programme":"executive-club","id":"partnerapi-00002","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"disabled","createdAt":1767225600000}');
INSERT INTO client VALUES(3,'second-club','partnerapi-00001','{"programme":"second-club","id":"partnerapi-00001","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}');
CREATE TABLE member (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  subject TEXT NOT NULL,
  username TEXT NOT NULL,
  record TEXT NOT NULL,
  UNIQUE (programme, subject),
  UNIQUE (programme, username)
) STRICT;
INSERT INTO member VALUES(1,'executive-club','subject-1','zoë@example.com','{"programme":"executive-club","subject":"subject-1","username":"zoë@example.com","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA","level":"AUTHN-LEVEL-12","membershipNumber":"1234567890123456","status":"active","createdAt":1767225600000}');
INSERT INTO member VALUES(2,'second-club','subject-1','other','{"programme":"second-club","subject":"subject-1","username":"other","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA","level":"AUTHN-LEVEL-12","membershipNumber":"1234567890123456","status":"active","createdAt":1767225600000}');
CREATE TABLE signing_key (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  kid TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  sealed_private_jwk TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  UNIQUE (programme, kid)
) STRICT;
INSERT INTO signing_key VALUES(1,'executive-club','first','ES256','{"kid":"first"}','sealed',1767225601000);
INSERT INTO signing_key VALUES(2,'executive-club','second','RS256','{"kid":"second"}','sealed',1767225602000);
CREATE TABLE code (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  login TEXT NOT NULL,
  client TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  member TEXT NOT NULL,
  scope TEXT,
  code_challenge TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  forget_at INTEGER NOT NULL,
  spent_for TEXT,
  PRIMARY KEY (programme, key),
  UNIQUE (programme, login)
) STRICT, WITHOUT ROWID;
INSERT INTO code VALUES('executive-club','code live','login live','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'live');
INSERT INTO code VALUES('executive-club','code revoked','login revoked','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'revoked');
INSERT INTO code VALUES('executive-club','unspent','login unspent','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1767229200000,NULL);
INSERT INTO code VALUES('second-club','bare','login bare','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}',NULL,NULL,1767225600000,1767225720000,1767229200000,NULL);
CREATE TABLE family (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  client TEXT NOT NULL,
  member TEXT NOT NULL,
  scope TEXT,
  created_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  revoked_at INTEGER,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO family VALUES('executive-club','live','partnerapi-00001','{"subject":"subject-1","membershipNumber":"1234567890123456"}','AUTHN-LEVEL-12',1767225600000,1769817600000,NULL);
INSERT INTO family VALUES('executive-club','revoked','partnerapi-00001','{"subject":"subject-1","membershipNumber":"1234567890123456"}','AUTHN-LEVEL-12',1767225600000,1769817600000,1767225602000);
CREATE TABLE refresh_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  family TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  predecessor TEXT,
  successor TEXT,
  sealed_answer TEXT,
  retry_until INTEGER,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO refresh_token VALUES('executive-club','first live','live',1767312000000,NULL,'second live','answer with second live',1767225611000);
INSERT INTO refresh_token VALUES('executive-club','first revoked','revoked',1767312000000,NULL,NULL,NULL,NULL);
INSERT INTO refresh_token VALUES('executive-club','second live','live',1767312000000,'first live',NULL,NULL,NULL);
CREATE TABLE access_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  client TEXT NOT NULL,
  kind TEXT NOT NULL,
  subject TEXT NOT NULL,
  family TEXT,
  scope TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO access_token VALUES('executive-club','access live','partnerapi-00001','member','subject-1','live','AUTHN-LEVEL-12',1767225600000,1767227400000);
INSERT INTO access_token VALUES('executive-club','access revoked','partnerapi-00001','member','subject-1','revoked','AUTHN-LEVEL-12',1767225600000,1767227400000);
INSERT INTO access_token VALUES('executive-club','next live','partnerapi-00001','member','subject-1','live','AUTHN-LEVEL-12',1767225600000,1767227400000);
INSERT INTO access_token VALUES('executive-club','partner','partnerapi-00001','client','client:partnerapi-00001',NULL,NULL,1767225600000,1767227400000);
COMMIT;
