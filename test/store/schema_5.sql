-- Owns a store as schema 5 wrote it (commit b3c78e8); kept as it is, for the migration's tests.
-- Rows without an era were written by older schemas and brought up to schema 5.
PRAGMA application_id = 1248162935;
PRAGMA user_version = 5;
BEGIN TRANSACTION;
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
  sum INTEGER NOT NULL, era INTEGER,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO access_token VALUES('executive-club','access early','partnerapi-00003','member','subject-1','early','AUTHN-LEVEL-12',1767225600000,1767227400000,3782722841,1125899906842624);
INSERT INTO access_token VALUES('executive-club','access ended','partnerapi-00003','member','subject-1','ended','AUTHN-LEVEL-12',1767225600000,1767227400000,814197673,1125899906842625);
INSERT INTO access_token VALUES('executive-club','access late','partnerapi-00003','member','subject-1','late','AUTHN-LEVEL-12',1767225600000,1767227400000,2410024257,1125899906842625);
INSERT INTO access_token VALUES('executive-club','access live','partnerapi-00001','member','subject-1','live','AUTHN-LEVEL-12',1767225600000,1767227400000,3472633250,NULL);
INSERT INTO access_token VALUES('executive-club','access revoked','partnerapi-00001','member','subject-1','revoked','AUTHN-LEVEL-12',1767225600000,1767227400000,697598046,NULL);
INSERT INTO access_token VALUES('executive-club','access second late','partnerapi-00003','member','subject-1','late','AUTHN-LEVEL-12',1767225600000,1767227400000,130501543,1125899906842625);
INSERT INTO access_token VALUES('executive-club','next live','partnerapi-00001','member','subject-1','live','AUTHN-LEVEL-12',1767225600000,1767227400000,183764255,NULL);
INSERT INTO access_token VALUES('executive-club','partner','partnerapi-00001','client','client:partnerapi-00001',NULL,NULL,1767225600000,1767227400000,2514759635,NULL);
INSERT INTO access_token VALUES('executive-club','partner early','partnerapi-00003','client','client:partnerapi-00003',NULL,NULL,1767225600000,1767227400000,2023397266,1125899906842624);
INSERT INTO access_token VALUES('executive-club','partner late','partnerapi-00003','client','client:partnerapi-00003',NULL,NULL,1767225600000,1767227400000,3434069272,1125899906842625);
CREATE TABLE api_key (
  programme TEXT NOT NULL,
  digest TEXT NOT NULL,
  client TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, digest, client)
) STRICT, WITHOUT ROWID;
INSERT INTO api_key VALUES('executive-club','digest-of-key','partnerapi-00001',1987079441);
INSERT INTO api_key VALUES('executive-club','digest-of-key','partnerapi-00002',1566392018);
INSERT INTO api_key VALUES('second-club','digest-of-key','partnerapi-00001',528058314);
CREATE TABLE client (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (programme, id)
) STRICT;
INSERT INTO client VALUES(1,'executive-club','partnerapi-00001','{"programme":"executive-club","id":"partnerapi-00001","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}',4184577383);
INSERT INTO client VALUES(2,'executive-club','partnerapi-00002','{"programme":"executive-club","id":"partnerapi-00002","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"disabled","createdAt":1767225600000}',440314288);
INSERT INTO client VALUES(3,'second-club','partnerapi-00001','{"programme":"second-club","id":"partnerapi-00001","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[{"digest":"digest-of-secret","createdAt":1767225600000}],"apiKeys":[{"digest":"digest-of-key","createdAt":1767225600000,"expiresAt":1767225660000}],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}',446704570);
INSERT INTO client VALUES(4,'executive-club','partnerapi-00003','{"programme":"executive-club","id":"partnerapi-00003","name":"Example Partner","roles":["member","partner"],"redirectUris":["https://partner.example/cb","https://partner.example/cb?x=1"],"secrets":[],"apiKeys":[],"throttle":{"limit":5,"window":60000},"properties":{"instance_url":"https://api.example","__proto__":"a name like any other"},"status":"active","createdAt":1767225600000}',161408264);
CREATE TABLE code (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  login TEXT NOT NULL,
  client TEXT NOT NULL,
  redirect_uri TEXT NOT NULL,
  member TEXT NOT NULL,
  subject TEXT NOT NULL,
  scope TEXT,
  code_challenge TEXT,
  issued_at INTEGER NOT NULL,
  expires_at INTEGER NOT NULL,
  forget_at INTEGER NOT NULL,
  spent_for TEXT,
  sum INTEGER NOT NULL, era INTEGER,
  PRIMARY KEY (programme, key),
  UNIQUE (programme, login)
) STRICT;
INSERT INTO code VALUES('executive-club','code live','login live','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'live',1437051385,NULL);
INSERT INTO code VALUES('executive-club','code revoked','login revoked','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'revoked',3982053060,NULL);
INSERT INTO code VALUES('executive-club','unspent','login unspent','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1767229200000,NULL,2893325537,NULL);
INSERT INTO code VALUES('second-club','bare','login bare','partnerapi-00001','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1',NULL,NULL,1767225600000,1767225720000,1767229200000,NULL,605560303,NULL);
INSERT INTO code VALUES('executive-club','code early','login early','partnerapi-00003','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'early',3101889118,1125899906842624);
INSERT INTO code VALUES('executive-club','unspent early','login unspent early','partnerapi-00003','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}                                    ','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1767229200000,NULL,2725720956,1125899906842624);
INSERT INTO code VALUES('executive-club','code late','login late','partnerapi-00003','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'late',3388368401,1125899906842625);
INSERT INTO code VALUES('executive-club','unspent late','login unspent late','partnerapi-00003','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}                                    ','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1767229200000,NULL,2144981922,1125899906842625);
INSERT INTO code VALUES('executive-club','code ended','login ended','partnerapi-00003','https://partner.example/cb','{"subject":"subject-1","level":"AUTHN-LEVEL-12"}','subject-1','AUTHN-LEVEL-12','E9Melhoa2OwvFrEMTJguCHaoeK1t8URWbuGJSstw-cM',1767225600000,1767225720000,1769817600000,'ended',3407492477,1125899906842625);
CREATE TABLE family (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  client TEXT NOT NULL,
  member TEXT NOT NULL,
  subject TEXT NOT NULL,
  scope TEXT,
  created_at INTEGER NOT NULL,
  ends_at INTEGER NOT NULL,
  revoked_at INTEGER,
  sum INTEGER NOT NULL, era INTEGER,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO family VALUES('executive-club','early','partnerapi-00003','{"subject":"subject-1","membershipNumber":"1234567890123456"}','subject-1','AUTHN-LEVEL-12',1767225600000,1769817600000,NULL,3407109422,1125899906842624);
INSERT INTO family VALUES('executive-club','ended','partnerapi-00003','{"subject":"subject-1","membershipNumber":"1234567890123456"}','subject-1','AUTHN-LEVEL-12',1767225600000,1769817600000,1767225606000,-4152862850,1125899906842625);
INSERT INTO family VALUES('executive-club','late','partnerapi-00003','{"subject":"subject-1","membershipNumber":"1234567890123456"}','subject-1','AUTHN-LEVEL-12',1767225600000,1769817600000,NULL,2554927168,1125899906842625);
INSERT INTO family VALUES('executive-club','live','partnerapi-00001','{"subject":"subject-1","membershipNumber":"1234567890123456"}','subject-1','AUTHN-LEVEL-12',1767225600000,1769817600000,NULL,1611521382,NULL);
INSERT INTO family VALUES('executive-club','revoked','partnerapi-00001','{"subject":"subject-1","membershipNumber":"1234567890123456"}','subject-1','AUTHN-LEVEL-12',1767225600000,1769817600000,1767225602000,-2564853367,NULL);
CREATE TABLE gateway (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (programme, id)
) STRICT;
INSERT INTO gateway VALUES(1,'executive-club','gateway-1','{"programme":"executive-club","id":"gateway-1","name":"Edge","secrets":[{"digest":"digest-of-secret","createdAt":1767225600000,"expiresAt":1767225660000}],"status":"active","createdAt":1767225600000}',4016163189);
CREATE TABLE login_attempt (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL,
  locked_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO login_attempt VALUES('executive-club','locked',1,1767226506000,1768225606000,2145867761);
CREATE TABLE member (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  subject TEXT NOT NULL,
  username TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (programme, subject),
  UNIQUE (programme, username)
) STRICT;
INSERT INTO member VALUES(1,'executive-club','subject-1','zoë@example.com','{"programme":"executive-club","subject":"subject-1","username":"zoë@example.com","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA","level":"AUTHN-LEVEL-12","membershipNumber":"1234567890123456","status":"active","createdAt":1767225600000}',3701710687);
INSERT INTO member VALUES(2,'second-club','subject-1','other','{"programme":"second-club","subject":"subject-1","username":"other","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$c2FsdA$aGFzaA","level":"AUTHN-LEVEL-12","membershipNumber":"1234567890123456","status":"active","createdAt":1767225600000}',4137864863);
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('created_at','2026-01-01T00:00:00.000Z');
INSERT INTO meta VALUES('environment','staging');
INSERT INTO meta VALUES('era','1125899906842625');
INSERT INTO meta VALUES('recorded_time','1767225608000');
INSERT INTO meta VALUES('signing_key_epoch','1');
CREATE TABLE node_lease (
  node INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO node_lease VALUES(0,'holder',1767225726000);
CREATE TABLE refresh_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  family TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  predecessor TEXT,
  successor TEXT,
  sealed_answer TEXT,
  retry_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO refresh_token VALUES('executive-club','first early','early',1767312000000,NULL,NULL,NULL,NULL,4036445074);
INSERT INTO refresh_token VALUES('executive-club','first ended','ended',1767312000000,NULL,NULL,NULL,NULL,1837840252);
INSERT INTO refresh_token VALUES('executive-club','first late','late',1767312000000,NULL,'second late',NULL,NULL,2068965980);
INSERT INTO refresh_token VALUES('executive-club','first live','live',1767312000000,NULL,'second live',NULL,NULL,1854730558);
INSERT INTO refresh_token VALUES('executive-club','first revoked','revoked',1767312000000,NULL,NULL,NULL,NULL,2620027139);
INSERT INTO refresh_token VALUES('executive-club','second late','late',1767312000000,'first late',NULL,'answer with second late',1767225611000,2782067840);
INSERT INTO refresh_token VALUES('executive-club','second live','live',1767312000000,'first live',NULL,'answer with second live',1767225611000,139605482);
CREATE TABLE removed_client (
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, id)
) STRICT, WITHOUT ROWID;
INSERT INTO removed_client VALUES('executive-club','partnerapi-00009',1767225602000,2717766396);
CREATE TABLE revocation (
  programme TEXT NOT NULL,
  owner TEXT NOT NULL,
  revoked_until INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO revocation VALUES('executive-club','client partnerapi-00003',1125899906842624,921777119);
INSERT INTO revocation VALUES('executive-club','client partnerapi-00009',9007199254740991,2558138574);
INSERT INTO revocation VALUES('executive-club','subject subject-9',1767225603000,212634080);
CREATE TABLE revoked_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO revoked_token VALUES('executive-club','jti-1',1767227400000,4223103625);
CREATE TABLE secret_use (
  programme TEXT NOT NULL,
  client TEXT NOT NULL,
  digest TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (programme, client, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO secret_use VALUES('executive-club','partnerapi-00001','digest-of-secret',1767225602000);
INSERT INTO secret_use VALUES('executive-club','partnerapi-00003','digest-of-secret',1767225605000);
CREATE TABLE signing_key (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  kid TEXT NOT NULL,
  algorithm TEXT NOT NULL,
  public_jwk TEXT NOT NULL,
  sealed_private_jwk TEXT NOT NULL,
  created_at INTEGER NOT NULL,
  signs_from INTEGER,
  retires_at INTEGER,
  sum INTEGER NOT NULL,
  UNIQUE (programme, kid)
) STRICT;
INSERT INTO signing_key VALUES(1,'executive-club','first','ES256','{"kid":"first"}','sealed',1767225601000,1767225601000,1767225660000,54354853);
INSERT INTO signing_key VALUES(2,'executive-club','second','RS256','{"kid":"second"}','sealed',1767225602000,1767225602000,NULL,679554189);
COMMIT;
