-- Owns a store that servers of schema 5 (commit b3c78e8) worked on, under a master key of bytes 7;
-- kept as it is. What they had answered:
-- {
--  "stopped_at": "2026-01-02T03:05:01.855Z",
--  "unspent_code": "2ee2c562836a133cb4e1b0986cd3696469e1ba14a7e292066d1d91a57c8a2dba",
--  "spent_code": "bf39e9039ee082122d6a50e7a4f4f540538253fde2a57ada43e9267f717e60a6",
--  "code_of_bob": "193705a31d5d20626e1fadcf4182816a0ab568405008d3d7ca8df05afb45af71",
--  "partner_code": "YcVgPsNTN537hgW71HmRBMHHABwe6B6NFzNxqzDiKX2",
--  "spent": {
--   "access_token": "19b7caa6992.dUWq98SHUdcSoxk5xGVlAGjE3G3KOOallytagV2Fr2E",
--   "refresh_token": "19b7caa6992.F7Y8UZO2XHldUFIzAe36bhOy7fXz4xw9chTHk5_V7IM"
--  },
--  "live": {
--   "access_token": "19b7caa69bf.j9mJO542YoGLTOMDpDg73nVhAfx5ASD4sNLLSHwavUo",
--   "refresh_token": "19b7caa69bf.bxrUJ03PI-9OT13oU2UhBi4fy1PIIoSK8VqlmuHkL24"
--  },
--  "rotated": {
--   "access_token": "19b7caa6aae._TGqhCQU3Ui8Y_tcC2WhVfDEEUNpFEDYg5sRTHxuSxA",
--   "refresh_token": "19b7caa6aae._yYAkWohfmzuNZ9LMEuqdoV0RsRDA5OPxhfw1ImiurU"
--  },
--  "revoked": {
--   "access_token": "19b7caa69ef.esl3gmKTBBiNJ1cfT8Mf2HlnnsKiUJskeHP66wBzy5U",
--   "refresh_token": "19b7caa69ef.X0SSrrWmk900ZnLpNhDP74sfK0Z853sBcx6Y2Ef_LcY"
--  },
--  "of_bob": {
--   "access_token": "19b7caa686a.fH5a8AWg2OLpt77NPCYDG-BPIaS6LFVSbcpZLdbDQZc",
--   "refresh_token": "19b7caa686a.5n-h8vpKq_HI3xQjJvKjv9cgKTBFG9u5F0TSIcQZAus"
--  },
--  "partner": {
--   "access_token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjBfVTNkakl4TkcwWXE2MnZiOWF4NmR0RUljWnZMRUd4WFhXMGxoNW5TUHMifQ.eyJpc3MiOiJodHRwczovL3Rva2Vucy5leGFtcGxlL3NlY29uZC1jbHViIiwiYXVkIjoiaHR0cHM6Ly90b2tlbnMuZXhhbXBsZS9zZWNvbmQtY2x1YiIsInN1YiI6InN1YmplY3Qtb2YtYW5uIiwiY2xpZW50X2lkIjoiUGFydG5lcjEiLCJqdGkiOiI3NzYxMzU4OTE5MDI0NjQiLCJpYXQiOjE3NjczMjMxMDEsImV4cCI6MTc2NzMyNDkwMSwiZmFtaWx5IjoiMTliN2NhYTZhMjYuMTVLUTg3V3FBeUhBQ1ljTVEyclJtUSJ9.DHHbuF3XnSgXomqBSbHdoYbLKH6l5AwdzQ1a75S5lC7WMmy7f64EIW4N9oOUotp6It1jzIsW0MV065X-fAGaJg",
--   "refresh_token": "eyJhbGciOiJFUzI1NiIsInR5cCI6InJ0K2p3dCIsImtpZCI6IjBfVTNkakl4TkcwWXE2MnZiOWF4NmR0RUljWnZMRUd4WFhXMGxoNW5TUHMifQ.eyJpc3MiOiJodHRwczovL3Rva2Vucy5leGFtcGxlL3NlY29uZC1jbHViIiwiYXVkIjoiaHR0cHM6Ly90b2tlbnMuZXhhbXBsZS9zZWNvbmQtY2x1YiIsInN1YiI6InN1YmplY3Qtb2YtYW5uIiwiY2xpZW50X2lkIjoiUGFydG5lcjEiLCJqdGkiOiI3NzYxMzU4OTE5MDM0ODgiLCJpYXQiOjE3NjczMjMxMDEsImV4cCI6MTc2NzQwOTUwMX0.I8Ho8IMO2KqF4w7x3z3Gi6c4HBU_7V5aw51w4tCz_4UjgKkLZ2K0Bi8vBB2h-OJ7eLvGqvgA7ozIkb0j0p8aEA"
--  },
--  "own": "19b7caa6a54.vLI3sqxU3jGqOkOGP8BlGDeJv8-9dsJOGs4x2kzxVOQ",
--  "answer": "{\"access_token\":\"19b7caa6ab3.ltp-NOqM5zdREywysvl73I5STrcbai1FA3fT8Fe5HIq\",\"refresh_token\":\"19b7caa6ab3.r1_QB7maN6oecHJmtYQ9vsjSlDvo1-jWGCfuSv7uv_w\",\"scope\":\"AUTHN-LEVEL-10\",\"token_type\":\"bearer\",\"expires_in\":1800,\"ba_refresh_expires_in\":86400}"
-- }
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
INSERT INTO access_token VALUES('executive-club','19b7caa686a._PUEvwtss4ppJ-CXZtsZ4zZO7qPqZFx6NZRCPvhOPOs','partnerapi-12345','member','subject-of-bob','19b7caa686a.k3pxXJ0ZxghUOpKfuRdzDQ','AUTHN-LEVEL-12',1767323101290,1767324901290,2517913708,1125899906842624);
INSERT INTO access_token VALUES('executive-club','19b7caa6992.Oi6C8JaKgMg4P9WC4s98D-uJBjavJNphMYSH1qE1xx8','partnerapi-12345','member','subject-of-ann','19b7caa6992.8tfpXjJRUO0GSNZMTAPu5w','AUTHN-LEVEL-10',1767323101586,1767324901586,3348263564,1125899906842625);
INSERT INTO access_token VALUES('executive-club','19b7caa69bf.1fZ456Nmb8CX_ROuO9lgrtfBhfs2Gx6R02-DRrExPoA','partnerapi-12345','member','subject-of-ann','19b7caa69bf.3kig2RgL-dasApUKHby_MQ','AUTHN-LEVEL-10',1767323101631,1767324901631,531649705,1125899906842625);
INSERT INTO access_token VALUES('executive-club','19b7caa69ef.10eX9d97uJqg3uq8KrUcSSaFZL8Kk0Hubws_HIHWwoM','partnerapi-12345','member','subject-of-ann','19b7caa69ef.BN3fDzhy5QBagfcGkf8wfw','AUTHN-LEVEL-10',1767323101679,1767324901679,690423995,1125899906842625);
INSERT INTO access_token VALUES('executive-club','19b7caa6a54.lAXj9D_Rh9Qf42esBwZe9lx8qWlO7ddKXIHsrUmp5Cg','partnerapi-12345','client','client:partnerapi-12345',NULL,'AUTHN-LEVEL-15',1767323101780,1767324901780,309721806,1125899906842625);
INSERT INTO access_token VALUES('executive-club','19b7caa6aae.QPH28T3e4QMQn3g5fgBCVGCDkpyoBldsC2uaW3DKcqY','partnerapi-12345','member','subject-of-ann','19b7caa6aae.2lDkxR4URyWR_qDhu38y-g','AUTHN-LEVEL-10',1767323101870,1767324901870,1295875303,1125899906842625);
INSERT INTO access_token VALUES('executive-club','19b7caa6ab3.19Exz5d0-h1VAmSXyckfW3A3DGnuw46QrHOBgXkIM3E','partnerapi-12345','member','subject-of-ann','19b7caa6aae.2lDkxR4URyWR_qDhu38y-g','AUTHN-LEVEL-10',1767323101875,1767324901875,2529088362,1125899906842625);
CREATE TABLE api_key (
  programme TEXT NOT NULL,
  digest TEXT NOT NULL,
  client TEXT NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, digest, client)
) STRICT, WITHOUT ROWID;
CREATE TABLE client (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (programme, id)
) STRICT;
INSERT INTO client VALUES(1,'executive-club','partnerapi-12345','{"programme":"executive-club","id":"partnerapi-12345","name":"Partner","roles":["member","partner"],"redirectUris":["https://partner.example/callback"],"secrets":[{"digest":"FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA","createdAt":1767323045000}],"apiKeys":[],"properties":{},"status":"active","createdAt":1767323045000}',3342661840);
INSERT INTO client VALUES(2,'second-club','Partner1','{"programme":"second-club","id":"Partner1","name":"Partner","roles":["member"],"redirectUris":["https://partner.example/callback"],"secrets":[{"digest":"FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA","createdAt":1767323045000}],"apiKeys":[],"properties":{},"status":"active","createdAt":1767323045000,"businessContext":"PartnerContext","partnerId":"Partner000001"}',3510419811);
INSERT INTO client VALUES(3,'executive-club','partnerapi-00002','{"programme":"executive-club","id":"partnerapi-00002","name":"Partner","roles":["member","partner"],"redirectUris":["https://partner.example/callback"],"secrets":[{"digest":"FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA","createdAt":1767323045000}],"apiKeys":[],"properties":{},"status":"disabled","createdAt":1767323045000}',2818186202);
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
INSERT INTO code VALUES('executive-club','LMNrOmavvklfBV8yw4UN3SPXacnd4Dwkxtab3jsbBb8','NVdn2fecRY0bNu-b','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}                                    ','subject-of-bob','AUTHN-LEVEL-12',NULL,1767323100582,1767323221053,1767324000540,NULL,3844882175,1125899906842624);
INSERT INTO code VALUES('executive-club','5l_4Q83w6fLAy0vY0J3hAdw4hhyjV-PJ01nvervUz6o','9FhpY4hrQsztEa5r','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}','subject-of-bob','AUTHN-LEVEL-12',NULL,1767323101096,1767323221275,1769915101096,'19b7caa686a.k3pxXJ0ZxghUOpKfuRdzDQ',550284821,1125899906842624);
INSERT INTO code VALUES('executive-club','k-zLOZj9OnbXOwepelMkdFMlXlCYjEPIlDyVkwHj-Es','ZS7e66GKnYZ0nqgE','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323101552,1767323221584,1769915101552,'19b7caa6992.8tfpXjJRUO0GSNZMTAPu5w',6317418,1125899906842625);
INSERT INTO code VALUES('executive-club','ITpxrfjA-CjpxyjbCRdhEXjW-sAoLq5W40YDwfwhF04','NgpVFEKv6qxkUe7a','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323101596,1767323221628,1769915101596,'19b7caa69bf.3kig2RgL-dasApUKHby_MQ',456059731,1125899906842625);
INSERT INTO code VALUES('executive-club','WtLVUmp7JYHiY-NKOt2_Z5dmy1zKEVCGlcQXw-fa8ZM','meFI0PLrbnIzstzL','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323101640,1767323221675,1769915101640,'19b7caa69ef.BN3fDzhy5QBagfcGkf8wfw',3205394180,1125899906842625);
INSERT INTO code VALUES('second-club','WMwH7sf9X5bAdtIVsyQbRcB7EUPwC4XOo_ecALgQOuw','AC3LcbX0OCJHbirG','Partner1','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann',NULL,NULL,1767323101693,1767323221731,1769915101693,'19b7caa6a26.15KQ87WqAyHACYcMQ2rRmQ',2778371547,1125899906842625);
INSERT INTO code VALUES('second-club','Kxoy7WlMRN7DhArPNii0Ym__UxNBtotXzYkFqquRDoM','ndDorsN33BhcbwtP','Partner1','https://partner.example/callback','{"subject":"subject-of-ann"}                                    ','subject-of-ann',NULL,NULL,1767323101747,1767323221776,1767324001741,NULL,679090389,1125899906842625);
INSERT INTO code VALUES('executive-club','0hl94DDRKuyEhJqZr00_6iPTwAoeAauTwKtNddafRAI','mVyqI23M4GYWo-It','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}                                    ','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323101785,1767323221814,1767324001782,NULL,2603932797,1125899906842625);
INSERT INTO code VALUES('executive-club','aycM_EcZ5Bid6hlarmX1FAtcqKjqNT_iCa-HbI8ThUg','fXYrSUzr4lmBmPyO','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323101823,1767323221856,1769915101823,'19b7caa6aae.2lDkxR4URyWR_qDhu38y-g',4162742107,1125899906842625);
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
INSERT INTO family VALUES('executive-club','19b7caa686a.k3pxXJ0ZxghUOpKfuRdzDQ','partnerapi-12345','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}','subject-of-bob','AUTHN-LEVEL-12',1767323101290,1769915101096,NULL,4043512583,1125899906842624);
INSERT INTO family VALUES('executive-club','19b7caa6992.8tfpXjJRUO0GSNZMTAPu5w','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323101586,1769915101552,NULL,3885041108,1125899906842625);
INSERT INTO family VALUES('executive-club','19b7caa69bf.3kig2RgL-dasApUKHby_MQ','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323101631,1769915101596,NULL,117971353,1125899906842625);
INSERT INTO family VALUES('executive-club','19b7caa69ef.BN3fDzhy5QBagfcGkf8wfw','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323101679,1769915101640,1767323101682,-1942193329,1125899906842625);
INSERT INTO family VALUES('executive-club','19b7caa6aae.2lDkxR4URyWR_qDhu38y-g','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323101870,1769915101823,NULL,796442649,1125899906842625);
INSERT INTO family VALUES('second-club','19b7caa6a26.15KQ87WqAyHACYcMQ2rRmQ','Partner1','{"subject":"subject-of-ann"}','subject-of-ann',NULL,1767323101734,1769915101693,NULL,4041143215,1125899906842625);
CREATE TABLE gateway (
  position INTEGER PRIMARY KEY,
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  record TEXT NOT NULL,
  sum INTEGER NOT NULL,
  UNIQUE (programme, id)
) STRICT;
CREATE TABLE login_attempt (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  used INTEGER NOT NULL,
  window_ends_at INTEGER NOT NULL,
  locked_until INTEGER,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
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
INSERT INTO member VALUES(1,'executive-club','subject-of-ann','ann','{"programme":"executive-club","subject":"subject-of-ann","username":"ann","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$vZW8wCJTLDWPYVlkxLVaCw$JjveHnQZNkbJWvdftrf+z77osVcDdSaSQAM2FiJBljQ","status":"active","createdAt":1767323045000}',437330491);
INSERT INTO member VALUES(2,'second-club','subject-of-ann','ann','{"programme":"second-club","subject":"subject-of-ann","username":"ann","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$vZW8wCJTLDWPYVlkxLVaCw$JjveHnQZNkbJWvdftrf+z77osVcDdSaSQAM2FiJBljQ","status":"active","createdAt":1767323045000}',568394502);
INSERT INTO member VALUES(3,'executive-club','subject-of-bob','bob','{"programme":"executive-club","subject":"subject-of-bob","username":"bob","passwordHash":"$argon2id$v=19$m=19456,t=2,p=1$vZW8wCJTLDWPYVlkxLVaCw$JjveHnQZNkbJWvdftrf+z77osVcDdSaSQAM2FiJBljQ","status":"active","createdAt":1767323045000,"level":"AUTHN-LEVEL-12"}',1360800138);
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('created_at','2026-01-02T03:04:05.000Z');
INSERT INTO meta VALUES('environment','staging');
INSERT INTO meta VALUES('era','1125899906842625');
INSERT INTO meta VALUES('key_check','zKtDlCo6kLRaXPOBpcdb4-0YzTs2OHnWg26zZ4KB0xo');
INSERT INTO meta VALUES('recorded_time','1767323101525');
INSERT INTO meta VALUES('signing_key_epoch','2');
CREATE TABLE node_lease (
  node INTEGER PRIMARY KEY,
  holder TEXT NOT NULL,
  expires_at INTEGER NOT NULL
) STRICT;
INSERT INTO node_lease VALUES(0,'4RqUkER6LHBt8xI5',1767323220452);
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
INSERT INTO refresh_token VALUES('executive-club','19b7caa686a.3UzUJx8VNPFWku_dbBikdbAtz6njpHVBtQZ14qoNge8','19b7caa686a.k3pxXJ0ZxghUOpKfuRdzDQ',1767409501290,NULL,NULL,NULL,NULL,1481406258);
INSERT INTO refresh_token VALUES('executive-club','19b7caa6992.oiavGcMIeNpsw0XGBgdvuCnnducwGgjHl87p5z7PTeo','19b7caa6992.8tfpXjJRUO0GSNZMTAPu5w',1767409501586,NULL,NULL,NULL,NULL,1042305259);
INSERT INTO refresh_token VALUES('executive-club','19b7caa69bf.VvpHFasQdT-aW3ZUpG5jxfXPk1-W9HcqPS8NMk44Hqc','19b7caa69bf.3kig2RgL-dasApUKHby_MQ',1767409501631,NULL,NULL,NULL,NULL,2429109964);
INSERT INTO refresh_token VALUES('executive-club','19b7caa69ef.3d5Zwg-3C7d-f_LQlcKnJSCGp8p-2eMV9r76fKEYaUs','19b7caa69ef.BN3fDzhy5QBagfcGkf8wfw',1767409501679,NULL,NULL,NULL,NULL,1844499986);
INSERT INTO refresh_token VALUES('executive-club','19b7caa6aae.XwXauQcRDIz5AUrWXDBnm3OWDagsNYtpzX0gOri--5A','19b7caa6aae.2lDkxR4URyWR_qDhu38y-g',1767409501870,NULL,'19b7caa6ab3.tzYq8NA3jYC_50aRP-H7VHYQ4nYCcDQynKc6MpBFe0U',NULL,NULL,1475131391);
INSERT INTO refresh_token VALUES('executive-club','19b7caa6ab3.tzYq8NA3jYC_50aRP-H7VHYQ4nYCcDQynKc6MpBFe0U','19b7caa6aae.2lDkxR4URyWR_qDhu38y-g',1767409501875,'19b7caa6aae.XwXauQcRDIz5AUrWXDBnm3OWDagsNYtpzX0gOri--5A',NULL,'=IpNV2gda3Ti8BsgUMCXztg a6fb0fc1-77ef-4ed9-8865-83e5cbfbe000 1767323101875 1767324901875 1767409501875 AUTHN-LEVEL-10',1767323111875,2065998899);
INSERT INTO refresh_token VALUES('second-club','QeHGdR3YBY-ao5mMx2R8xY7jf56ilcRc_iv4grNiMSQ','19b7caa6a26.15KQ87WqAyHACYcMQ2rRmQ',1767409501734,NULL,NULL,NULL,NULL,3499069517);
CREATE TABLE removed_client (
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, id)
) STRICT, WITHOUT ROWID;
INSERT INTO removed_client VALUES('executive-club','partnerapi-00001',1767323045000,2971829302);
CREATE TABLE revocation (
  programme TEXT NOT NULL,
  owner TEXT NOT NULL,
  revoked_until INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO revocation VALUES('executive-club','client partnerapi-00001',9007199254740991,2447050059);
INSERT INTO revocation VALUES('executive-club','subject subject-of-bob',1125899906842624,2577529726);
CREATE TABLE revoked_token (
  programme TEXT NOT NULL,
  key TEXT NOT NULL,
  expires_at INTEGER NOT NULL,
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
INSERT INTO secret_use VALUES('executive-club','partnerapi-12345','FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA',1767323045000);
INSERT INTO secret_use VALUES('second-club','Partner1','FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA',1767323046000);
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
INSERT INTO signing_key VALUES(1,'second-club','0_U3djIxNG0Yq62vb9ax6dtEIcZvLEGxXXW0lh5nSPs','ES256','{"kty":"EC","x":"fCV-OQcJup3ajrK2pAHd97r4YgZ97nR9pYnZpUKqH90","y":"SQKnwz8MdH9ODfoUM0JZz_PF1oYno1uI9nCH4wbDPo0","crv":"P-256"}','V2OnydftZDVG2CdnpQUVT5indpHf1vbR4xsXoGpzc3ra6dkMUXST2-bUq9g54ddOJlLh6DQgYWajgl3fpCd3Xk2V7ouql_HzeTQTCi6QFpce1Zw3HKFL-c2K9RPz2CJVEhGXc7EoHNW0U-_o96pFiye7W4fxP5w1amIbidvwUiGPYpJHTeUKbgP17CWfjbilGfBhgtDSeRRfe_tzNrpZ-WOoI7rE2CUREJJ5Vs_cWaMnTbWBOZNFj3zbhSxpHSGQBob0cUvVEM8HkzKI',1767323045000,1767323045000,NULL,3233947133);
INSERT INTO signing_key VALUES(2,'club','8q14HgsOkMxZgFa-ghlddZg1ug-SigBCIMMMztrx46s','ES256','{"kty":"EC","x":"PZq35F0NfAoyfBDAoejoActxgJPxuT1hZU4Irr8iZ3I","y":"RZtlFb0u16qlcim7WsUsj-eK2350Z8Mu0ZRuOa_vn0c","crv":"P-256"}','N9bYLW7KYIJ9rRHZZNIfQidurdmyj3mYZWjy92YeDM8wLfrvRStI57bYPBEzCkIvVX26iNE9ormZqfZ4tz0nlUU_dW0SXNzWjk8f83oXq1fM3nyqL9a0XCTYs1-b4ExWGhhQhOG0SHXb6YNr3MFw6qWQWlNoPVMhTOADFFvFliYDz6DePFvmmjaSresaPK-0KZHCvgU8CJbCUFNgARS0EVI6eRcsOfqaErA8_tkyvVewICFZfKf-1ul9nyuoR1vV91l6bFBR5jhE0cwV',1767323100471,1767323100471,NULL,2682460103);
COMMIT;
