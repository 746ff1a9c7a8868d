-- Owns a store that servers of schema 2 (commit 0db60de) worked on, under a master key of bytes 7;
-- kept as it is. What they had answered:
-- {
--  "stopped_at": "2026-01-02T03:04:12.000Z",
--  "unspent_code": "7e14355d54b754b994c0a140325de3cb459e44957f50fe61e8ac49769f5530e7",
--  "spent_code": "0bdb7419158aae670e56b9b86a800f10116f9920d4490a74ec1476884748f1ca",
--  "code_of_bob": "75bcdec39969236124b316871b35db12021c490c7d95b0ac27ce131359dd5d95",
--  "partner_code": "dv8OoDJQXvHBzATtmytFMBMXtU491UfYK5G6TEUOg3c",
--  "spent": {
--   "access_token": "19b7ca99070.OTVYvJWqHvUAgP1cQ-TlA_IYf7l7WPXszlX_KVqu3TI",
--   "refresh_token": "19b7ca99070.Dh_P4KndUpMlYIq_konvjg5TNf1G7Ks5UMuHGSU_EbM"
--  },
--  "live": {
--   "access_token": "19b7ca99070.8AAhU1d3mITdlE0ZICtMqjdBsuRpg1MMDBw2EppD2kg",
--   "refresh_token": "19b7ca99070.ASo0Hmzn1IkeukrrdEHtGx1x8c_mMBrLTSErNiR3aYE"
--  },
--  "rotated": {
--   "access_token": "19b7ca99070.xKMnLOH0Y6vIAfj2tRxk2C8xjPdVoW8C0GO7ovIs9UU",
--   "refresh_token": "19b7ca99070.PoHuYq7vnJC8hxh01TUu9D6d037oG9hsdJQE28KVpVI"
--  },
--  "revoked": {
--   "access_token": "19b7ca99070.nw9Kj3OvlzKcRhZNl2t3fUYuezyd5jLFfVEpie-j4ik",
--   "refresh_token": "19b7ca99070.9Eld58meW-IEBEQVoeyCNzPbTh-RIULFCeRwY5330r0"
--  },
--  "of_bob": {
--   "access_token": "19b7ca98c88.vUATtgOg7rErFHME0Jw8vG5v6gVjIU865c4_5Z-OPTU",
--   "refresh_token": "19b7ca98c88.XxkxRIsRRlAhUxK0kXN6DBFvfR05pXiNSBfOSBCK1U4"
--  },
--  "partner": {
--   "access_token": "eyJhbGciOiJFUzI1NiIsInR5cCI6ImF0K2p3dCIsImtpZCI6IjBfVTNkakl4TkcwWXE2MnZiOWF4NmR0RUljWnZMRUd4WFhXMGxoNW5TUHMifQ.eyJpc3MiOiJodHRwczovL3Rva2Vucy5leGFtcGxlL3NlY29uZC1jbHViIiwiYXVkIjoiaHR0cHM6Ly90b2tlbnMuZXhhbXBsZS9zZWNvbmQtY2x1YiIsInN1YiI6InN1YmplY3Qtb2YtYW5uIiwiY2xpZW50X2lkIjoiUGFydG5lcjEiLCJqdGkiOiI3NzYxMzU2NjM2MTc2OTkiLCJpYXQiOjE3NjczMjMwNDYsImV4cCI6MTc2NzMyNDg0NiwiZmFtaWx5IjoiMTliN2NhOTkwNzAuVWtjWEQ5cXoxc1ZyeXZ0eGtnTUFrdyJ9.ImCNIxFTj5EaIriVmt1FAjT5KMF0mOOnsLnr2OAvGGt9s7pueG2VcOqpMcB3fQVSNgUJZt58qDZma6VsoL5ePQ",
--   "refresh_token": "eyJhbGciOiJFUzI1NiIsInR5cCI6InJ0K2p3dCIsImtpZCI6IjBfVTNkakl4TkcwWXE2MnZiOWF4NmR0RUljWnZMRUd4WFhXMGxoNW5TUHMifQ.eyJpc3MiOiJodHRwczovL3Rva2Vucy5leGFtcGxlL3NlY29uZC1jbHViIiwiYXVkIjoiaHR0cHM6Ly90b2tlbnMuZXhhbXBsZS9zZWNvbmQtY2x1YiIsInN1YiI6InN1YmplY3Qtb2YtYW5uIiwiY2xpZW50X2lkIjoiUGFydG5lcjEiLCJqdGkiOiI3NzYxMzU2NjM2MTc3MDAiLCJpYXQiOjE3NjczMjMwNDYsImV4cCI6MTc2NzQwOTQ0Nn0.fh0lQBoZ6KP42pMubcmtZBYHEOPPiuj-40TCYLGhQr2hB5dM4vtNxytB-keL_JEbVLPc_L1EqIwIX903yn8mVQ"
--  },
--  "own": "19b7ca99070.GXCknGZ4vTw2o-8Nt_11-OEBH8EUOTpO9sCP233q2OE",
--  "answer": "{\"access_token\":\"19b7ca9a3f8.1k7PDjwHp82N1XlMPnhqYPfAMrxYnmHtx97LQHzsnaU\",\"refresh_token\":\"19b7ca9a3f8.5AtaqeUdJfFy0jIwAxjv6mFkAGn5WiU5A9bvo4o9Vro\",\"scope\":\"AUTHN-LEVEL-10\",\"token_type\":\"bearer\",\"expires_in\":1800,\"ba_refresh_expires_in\":86400}"
-- }
PRAGMA application_id = 1248162935;
PRAGMA user_version = 2;
BEGIN TRANSACTION;
CREATE TABLE meta (
  name TEXT PRIMARY KEY,
  value TEXT NOT NULL
) STRICT, WITHOUT ROWID;
INSERT INTO meta VALUES('created_at','2026-01-02T03:04:05.000Z');
INSERT INTO meta VALUES('environment','staging');
INSERT INTO meta VALUES('signing_key_epoch','1');
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
CREATE TABLE removed_client (
  programme TEXT NOT NULL,
  id TEXT NOT NULL,
  removed_at INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, id)
) STRICT, WITHOUT ROWID;
INSERT INTO removed_client VALUES('executive-club','partnerapi-00001',1767323045000,2971829302);
CREATE TABLE secret_use (
  programme TEXT NOT NULL,
  client TEXT NOT NULL,
  digest TEXT NOT NULL,
  used_at INTEGER NOT NULL,
  PRIMARY KEY (programme, client, digest)
) STRICT, WITHOUT ROWID;
INSERT INTO secret_use VALUES('executive-club','partnerapi-12345','FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA',1767323045000);
INSERT INTO secret_use VALUES('second-club','Partner1','FNO7EwhZHR2j2QvSaOb8OE2u0xahDj1YUTsNnqol3LA',1767323046000);
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
CREATE TABLE revocation (
  programme TEXT NOT NULL,
  owner TEXT NOT NULL,
  revoked_until INTEGER NOT NULL,
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, owner)
) STRICT, WITHOUT ROWID;
INSERT INTO revocation VALUES('executive-club','client partnerapi-00001',9007199254740991,2447050059);
INSERT INTO revocation VALUES('executive-club','subject subject-of-bob',1767323045000,4142136581);
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
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key),
  UNIQUE (programme, login)
) STRICT, WITHOUT ROWID;
INSERT INTO code VALUES('executive-club','KGhUuZJLFVJreqIiUg3X4muFEkacj2PKxaXGY0bHi5g','b56rUnU-ik3NdEzr','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323046000,1767323166000,1769915046000,'19b7ca99070.aWmco-M5e_k8sBnmMCyMWg',1922911395);
INSERT INTO code VALUES('executive-club','Of7xzIdv7jr0V1iFmMkCzxILI6n6Kjbw1YuzOIYiVOI','0AWSXIudPTX8ipBy','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323046000,1767323166000,1769915046000,'19b7ca99070.UfZa8U2jOlSBeqwRLZGfBA',205500433);
INSERT INTO code VALUES('executive-club','PngaUwcYAPOXsUgpjrm2GvuL1wRjj6MI7pZf_zFaogY','FSvssmBFCU4KrHRz','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323046000,1767323166000,1769915046000,'19b7ca99070.luVFOjz5Aq1L2ByyVM_Msw',1949065603);
INSERT INTO code VALUES('executive-club','fsa4SQ0moK_AAftFhO5RzjGANuyKEQ9e0UPuX5DiZ74','Ywre3oB3zL8_iQy5','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}','subject-of-bob','AUTHN-LEVEL-12',NULL,1767323045000,1767323165000,1769915045000,'19b7ca98c88.VT8bYLWaA3ZV63X5OWpH4w',1675079536);
INSERT INTO code VALUES('executive-club','kZX0zBcHrOGWuinV9kOS6yN-Yk7-QzAaPMtxJDtSm_Q','5HH4hwbBE7Nxcoil','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323051000,1767323171000,1767323951000,NULL,455712116);
INSERT INTO code VALUES('executive-club','kgYHywezMxBuMcWlqcVSpinx_xCVFORXW-irn8BC1lI','EnWvhoLUn_bRsg1F','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}','subject-of-bob','AUTHN-LEVEL-12',NULL,1767323045000,1767323165000,1767323945000,NULL,3944777027);
INSERT INTO code VALUES('executive-club','rf4dZ6-q6Whq-GK8iaU-wC2LdPliy845i48v_OZAnCw','Si_jG8t6-perG9kQ','partnerapi-12345','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',NULL,1767323046000,1767323166000,1769915046000,'19b7ca99070.53yyNveVqMp-2EVckQlAPg',1960997274);
INSERT INTO code VALUES('second-club','RnKkK7jFHPMFz8tEVyGCRT-2g4ejhsqUSrVMLM8sarI','XzuM32-LjRMXq1pg','Partner1','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann',NULL,NULL,1767323046000,1767323166000,1769915046000,'19b7ca99070.UkcXD9qz1sVryvtxkgMAkw',1780510046);
INSERT INTO code VALUES('second-club','p5bZjpDtL1A90ROvB4qEUl9EpoSFDM4l8lrFxqLyFb4','5xVy1JtcaXw2UzBP','Partner1','https://partner.example/callback','{"subject":"subject-of-ann"}','subject-of-ann',NULL,NULL,1767323046000,1767323166000,1767323946000,NULL,1272905465);
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
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO family VALUES('executive-club','19b7ca98c88.VT8bYLWaA3ZV63X5OWpH4w','partnerapi-12345','{"subject":"subject-of-bob","level":"AUTHN-LEVEL-12"}','subject-of-bob','AUTHN-LEVEL-12',1767323045000,1769915045000,NULL,2950040791);
INSERT INTO family VALUES('executive-club','19b7ca99070.53yyNveVqMp-2EVckQlAPg','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323046000,1769915046000,NULL,4061172815);
INSERT INTO family VALUES('executive-club','19b7ca99070.UfZa8U2jOlSBeqwRLZGfBA','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323046000,1769915046000,NULL,4061733790);
INSERT INTO family VALUES('executive-club','19b7ca99070.aWmco-M5e_k8sBnmMCyMWg','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323046000,1769915046000,1767323046000,-2472977145);
INSERT INTO family VALUES('executive-club','19b7ca99070.luVFOjz5Aq1L2ByyVM_Msw','partnerapi-12345','{"subject":"subject-of-ann"}','subject-of-ann','AUTHN-LEVEL-10',1767323046000,1769915046000,NULL,2991126698);
INSERT INTO family VALUES('second-club','19b7ca99070.UkcXD9qz1sVryvtxkgMAkw','Partner1','{"subject":"subject-of-ann"}','subject-of-ann',NULL,1767323046000,1769915046000,NULL,3752070015);
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
INSERT INTO refresh_token VALUES('executive-club','19b7ca98c88.9p1iZpTxKCbraY1IWuc1BM63lO9sK23EM2x9W5K7Lys','19b7ca98c88.VT8bYLWaA3ZV63X5OWpH4w',1767409445000,NULL,NULL,NULL,NULL,339960979);
INSERT INTO refresh_token VALUES('executive-club','19b7ca99070.P5qR__mkljvgwnIBOlJdhHvhx4IC4D4ZVc7_5tTT-9I','19b7ca99070.53yyNveVqMp-2EVckQlAPg',1767409446000,NULL,'19b7ca9a3f8.PCprPUHg_ulxdo2fmB1EcMhu2thRRPk1Fz4z67-4VLk','RVajNlIwjxMHJL5SkeFkJwRFq96cuF-5kgh5Z544roejQnBhnlMPW8JHOFJ4szpJrT1R6ixsILXnrllALWg3ZREGBzcU5oreWXBocMkc7JwHE_VU8kRaBRsFxvd0JW11eQFKkga1TGNc8YAJbJ3IbX95772B2gsxxtNsR1HvS8Mkxha7xXn01NI2qTCVlP9K33AoQny3WdNCTu2WZ3kfjmXo9E8m06bFt004ALbNdKW7LiIslfext7KNPkh_KRAlU5TlnH3YLvs_z3l3AaVoXWAdWj4C9H9H6GhYQnUQG102Ycc2cjBI7FqslSVDdFP7j1OIB9QLeYP-_urxKXR0_7rYY-M5vHZaJd49y-0zGR2468AxXZU3KZnZ5s6PgjWsZKqvb8FVDp4DZd8RxeEQaFSIlF3Neik2rJWujYugvz5dspDAQiQ3l0RZEDBJCHr5BOzIOV9TsPdVvFF8HqmR-C7LehNj4Q4PvreiSB3BPhuUT3fzMY5Pq2tIbGtgVndl2uriF1G-oTNNAnSDcSfDfx1tLMZB',1767323061000,1343361369);
INSERT INTO refresh_token VALUES('executive-club','19b7ca99070.RknVdz4wgL6gQ8gGsnrdt-flKC_EvAYo4v58nP_xZNU','19b7ca99070.UfZa8U2jOlSBeqwRLZGfBA',1767409446000,NULL,NULL,NULL,NULL,4115784276);
INSERT INTO refresh_token VALUES('executive-club','19b7ca99070.fWEHBkHxIisg_XW7Gatq-suOfs7fSgKZafu6AT60Bsg','19b7ca99070.aWmco-M5e_k8sBnmMCyMWg',1767409446000,NULL,NULL,NULL,NULL,3033296390);
INSERT INTO refresh_token VALUES('executive-club','19b7ca99070.rxRsSSGdx9l7QEprqBSHXMXM4p_hoOEO-58UEVy0Uag','19b7ca99070.luVFOjz5Aq1L2ByyVM_Msw',1767409446000,NULL,NULL,NULL,NULL,3914150852);
INSERT INTO refresh_token VALUES('executive-club','19b7ca9a3f8.PCprPUHg_ulxdo2fmB1EcMhu2thRRPk1Fz4z67-4VLk','19b7ca99070.53yyNveVqMp-2EVckQlAPg',1767409451000,'19b7ca99070.P5qR__mkljvgwnIBOlJdhHvhx4IC4D4ZVc7_5tTT-9I',NULL,NULL,NULL,3064104252);
INSERT INTO refresh_token VALUES('second-club','tvPJ3TJcNCkurAFciuTTVXTAJ8Q1s-DpKBQiJ1J_qp4','19b7ca99070.UkcXD9qz1sVryvtxkgMAkw',1767409446000,NULL,NULL,NULL,NULL,2849763458);
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
  sum INTEGER NOT NULL,
  PRIMARY KEY (programme, key)
) STRICT, WITHOUT ROWID;
INSERT INTO access_token VALUES('executive-club','19b7ca98c88.LTburZss3NTV0DL9fObVQg_ROhaEpLHjU13wH19VHKk','partnerapi-12345','member','subject-of-bob','19b7ca98c88.VT8bYLWaA3ZV63X5OWpH4w','AUTHN-LEVEL-12',1767323045000,1767324845000,459133083);
INSERT INTO access_token VALUES('executive-club','19b7ca99070.EUoZv9gGT5KUbavxgBABONoZZE-kjYnPfY9pAM4I9D0','partnerapi-12345','member','subject-of-ann','19b7ca99070.UfZa8U2jOlSBeqwRLZGfBA','AUTHN-LEVEL-10',1767323046000,1767324846000,3339090404);
INSERT INTO access_token VALUES('executive-club','19b7ca99070.Nq-ShKKRtiN8GChzlfLb3-2Rc4LSblNFZylGQ1U_lOE','partnerapi-12345','client','client:partnerapi-12345',NULL,'AUTHN-LEVEL-15',1767323046000,1767324846000,2437804284);
INSERT INTO access_token VALUES('executive-club','19b7ca99070.V5iFAVuKnJLaJE5oqjyGDq1ZP47Jsh7y6Q5jKlNyO-4','partnerapi-12345','member','subject-of-ann','19b7ca99070.aWmco-M5e_k8sBnmMCyMWg','AUTHN-LEVEL-10',1767323046000,1767324846000,3847538665);
INSERT INTO access_token VALUES('executive-club','19b7ca99070.j2ieSQAsKYqnZRLDee5reH7rl7SC5honVLz6SPR5HOw','partnerapi-12345','member','subject-of-ann','19b7ca99070.53yyNveVqMp-2EVckQlAPg','AUTHN-LEVEL-10',1767323046000,1767324846000,1173273527);
INSERT INTO access_token VALUES('executive-club','19b7ca99070.rlFYBcX3FGp-vheJqPTi_4II0VXTDA03mCiW9UMRios','partnerapi-12345','member','subject-of-ann','19b7ca99070.luVFOjz5Aq1L2ByyVM_Msw','AUTHN-LEVEL-10',1767323046000,1767324846000,3159630085);
INSERT INTO access_token VALUES('executive-club','19b7ca9a3f8.mOsd6gW7ElQpVw6j65y2o8cBLNQYn7mZSQYEqQglb54','partnerapi-12345','member','subject-of-ann','19b7ca99070.53yyNveVqMp-2EVckQlAPg','AUTHN-LEVEL-10',1767323051000,1767324851000,2396955823);
COMMIT;
