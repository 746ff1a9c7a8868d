-- accept_time
WITH gate AS (
  UPDATE epoch SET registrations = registrations + 1, era = era + ($3::boolean)::int, op = $4, accepted_era = era, accepted_time = $5::bigint, forgotten_until = $6::bigint, forgotten_since = 0
  WHERE registrations = $1 AND era = $2 AND forgotten_since = $6::bigint RETURNING 1
  ),
  recorded AS (
  INSERT INTO meta (name, value) SELECT 'recorded_time', $5::bigint::text WHERE EXISTS (SELECT FROM gate)
  ON CONFLICT (name) DO UPDATE SET value = excluded.value RETURNING 1
  ),
  clock AS (INSERT INTO meta (name, value) SELECT 'recorded_clock', (floor(extract(epoch FROM clock_timestamp()) * 1000)::bigint)::text
  WHERE EXISTS (SELECT FROM recorded) ON CONFLICT (name) DO UPDATE SET value = excluded.value),
  outages AS (DELETE FROM outage WHERE to_at > $5::bigint AND EXISTS (SELECT FROM gate)),
  step0 AS (DELETE FROM code USING unnest($7::bigint[]) WITH ORDINALITY AS asked(_issued_at, n) WHERE EXISTS (SELECT FROM gate) AND code.issued_at > asked._issued_at),
  step1 AS (DELETE FROM login USING unnest($8::bigint[], $9::bigint[]) WITH ORDINALITY AS asked(_place, _era, n) WHERE EXISTS (SELECT FROM gate) AND login.place >= asked._place AND login.era > asked._era),
  step2 AS (DELETE FROM login USING unnest($10::bigint[]) WITH ORDINALITY AS asked(_ends_at, n) WHERE EXISTS (SELECT FROM gate) AND login.ends_at <= asked._ends_at),
  step3 AS (UPDATE login SET ends_at = asked._ends_at, state = asked._state, sum = asked._sum
  FROM unnest($11::bigint[], $12::bytea[], $13::bigint[], $14::bigint[], $15::bytea[]) WITH ORDINALITY AS asked(_ends_at, _state, _sum, _place, _before, n) WHERE EXISTS (SELECT FROM gate) AND login.place = asked._place AND login.state = asked._before),
  step4 AS (DELETE FROM login_attempt USING unnest($16::bigint[]) WITH ORDINALITY AS asked(_time, n) WHERE EXISTS (SELECT FROM gate) AND asked._time IS NOT NULL),
  step5 AS (UPDATE secret_use SET used_at = asked._used_at FROM unnest($17::bigint[]) WITH ORDINALITY AS asked(_used_at, n) WHERE EXISTS (SELECT FROM gate) AND secret_use.used_at > asked._used_at),
  step6 AS (INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($18::text[], $19::text[], $20::text[], $21::text[], $22::text[], $23::bigint[], $24::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum WHERE excluded.ends_at > kept_text.ends_at),
  step7 AS (UPDATE kept_text SET mark = asked._mark, sum = asked._sum
  FROM unnest($25::text[], $26::bigint[], $27::text[], $28::text[], $29::text[], $30::text[]) WITH ORDINALITY AS asked(_mark, _sum, _programme, _use, _key, _kept, n) WHERE EXISTS (SELECT FROM gate) AND kept_text.programme = asked._programme AND kept_text.use = asked._use AND kept_text.key = asked._key
  AND kept_text.kept = asked._kept),
  step8 AS (UPDATE registered SET record = asked._record, sum = asked._sum FROM unnest($31::text[], $32::bigint[], $33::text[], $34::text[], $35::text[]) WITH ORDINALITY AS asked(_record, _sum, _kind, _programme, _id, n) WHERE EXISTS (SELECT FROM gate) AND registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id),
  step9 AS (INSERT INTO revocation (programme, owner, revoked_until, sum) SELECT asked._programme, asked._owner, asked._revoked_until, asked._sum FROM unnest($36::text[], $37::text[], $38::bigint[], $39::bigint[]) WITH ORDINALITY AS asked(_programme, _owner, _revoked_until, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT (programme, owner) DO UPDATE
  SET revoked_until = excluded.revoked_until, sum = excluded.sum
  WHERE excluded.revoked_until > revocation.revoked_until)
  SELECT 1 FROM gate;

-- add_attempt
INSERT INTO login_attempt (programme, key, used, window_ends_at, locked_until, sum) VALUES ($1::text, $2::text, $3::bigint, $4::bigint, $5::bigint, $6::bigint) ON CONFLICT (programme, key) DO NOTHING RETURNING 1;

-- add_attempts
INSERT INTO login_attempt (programme, key, used, window_ends_at, locked_until, sum) SELECT asked._programme, asked._key, asked._used, asked._window_ends_at, asked._locked_until, asked._sum FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS asked(_programme, _key, _used, _window_ends_at, _locked_until, _sum, n) ORDER BY n ON CONFLICT (programme, key) DO NOTHING RETURNING programme, key;

-- add_live
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint) ON CONFLICT (programme, use, key) DO NOTHING RETURNING 1;

-- add_live_again
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint) ON CONFLICT (programme, use, key) DO UPDATE SET sum = kept_text.sum
  WHERE kept_text.kept = excluded.kept RETURNING 1;

-- add_live_agains
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, n) ORDER BY n ON CONFLICT (programme, use, key) DO UPDATE SET sum = kept_text.sum
  WHERE kept_text.kept = excluded.kept RETURNING programme, use, key;

-- add_lives
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, n) ORDER BY n ON CONFLICT (programme, use, key) DO NOTHING RETURNING programme, use, key;

-- advance_login
UPDATE login SET state = $1::bytea, own_scope = $2::text, sum = $3::bigint
  WHERE place = $4::bigint AND programme = $5::text AND revoked_at IS NULL
  AND login.state IN ($6::bytea, $7::bytea) RETURNING 1;

-- advance_logins
UPDATE login SET state = asked._state, own_scope = asked._own_scope, sum = asked._sum
  FROM unnest($1::bytea[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::bytea[], $7::bytea[]) WITH ORDINALITY AS asked(_state, _own_scope, _sum, _place, _programme, _before, _again, n) WHERE place = asked._place AND programme = asked._programme AND revoked_at IS NULL
  AND login.state IN (asked._before, asked._again) RETURNING asked.n;

-- all_count_locked
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT count(*) FROM login_attempt
  WHERE login_attempt.programme = $1::text AND login_attempt.locked_until > $2::bigint) AS found ON true;

-- all_count_lockeds
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked(_programme, _now, n)
  LEFT JOIN LATERAL (SELECT count(*) FROM login_attempt
  WHERE login_attempt.programme = asked._programme AND login_attempt.locked_until > asked._now) AS found ON true;

-- all_find_any_holders
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM look_up JOIN registered ON registered.kind = look_up.kind
  AND registered.programme = look_up.programme AND registered.id = look_up.id
  WHERE look_up.kind = $1::text AND look_up.name = $2::text AND look_up.key = $3::text) AS found ON true;

-- all_find_any_holderss
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(_kind, _name, _key, n)
  LEFT JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM look_up JOIN registered ON registered.kind = look_up.kind
  AND registered.programme = look_up.programme AND registered.id = look_up.id
  WHERE look_up.kind = asked._kind AND look_up.name = asked._name AND look_up.key = asked._key) AS found ON true;

-- all_find_holders
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM look_up JOIN registered ON registered.kind = look_up.kind
  AND registered.programme = look_up.programme AND registered.id = look_up.id
  WHERE look_up.kind = $1::text AND look_up.name = $2::text AND look_up.key = $3::text AND look_up.programme = $4::text) AS found ON true;

-- all_find_holderss
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS asked(_kind, _name, _key, _programme, n)
  LEFT JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM look_up JOIN registered ON registered.kind = look_up.kind
  AND registered.programme = look_up.programme AND registered.id = look_up.id
  WHERE look_up.kind = asked._kind AND look_up.name = asked._name AND look_up.key = asked._key AND look_up.programme = asked._programme) AS found ON true;

-- all_find_later_logins
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT login.place, login.programme, login.client, login.subject, login.level, login.membership_number, login.scope, login.ends_at, login.era, login.login_digest, login.details, login.revoked_at, login.own_scope, login.state, login.sum FROM login
  WHERE login.place >= $1::bigint AND login.era > $2::bigint AND login.era <= $3::bigint) AS found ON true;

-- all_find_later_loginss
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS asked(_place, _after, _era, n)
  LEFT JOIN LATERAL (SELECT login.place, login.programme, login.client, login.subject, login.level, login.membership_number, login.scope, login.ends_at, login.era, login.login_digest, login.details, login.revoked_at, login.own_scope, login.state, login.sum FROM login
  WHERE login.place >= asked._place AND login.era > asked._after AND login.era <= asked._era) AS found ON true;

-- all_find_lease
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT node, holder, expires_at, facts FROM node_lease WHERE holder = $1::text OR expires_at > $2::bigint) AS found ON true;

-- all_find_leases
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::bigint[]) WITH ORDINALITY AS asked(_holder, _now, n)
  LEFT JOIN LATERAL (SELECT node, holder, expires_at, facts FROM node_lease WHERE holder = asked._holder OR expires_at > asked._now) AS found ON true;

-- all_find_marks_ahead
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum FROM kept_text WHERE kept_text.use = 'live_token' AND kept_text.mark <> ''
  AND (substr(kept_text.mark, 14, 1) <> ' ' OR substr(kept_text.mark, 1, 13) > $1::text)) AS found ON true;

-- all_find_marks_aheads
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS asked(_digits, n)
  LEFT JOIN LATERAL (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum FROM kept_text WHERE kept_text.use = 'live_token' AND kept_text.mark <> ''
  AND (substr(kept_text.mark, 14, 1) <> ' ' OR substr(kept_text.mark, 1, 13) > asked._digits)) AS found ON true;

-- all_find_named
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum, removed.id FROM (SELECT 1) AS one
  LEFT JOIN registered ON registered.kind = $1::text AND registered.programme = $2::text AND registered.id = $3::text LEFT JOIN removed ON removed.kind = $1::text AND removed.programme = $2::text AND removed.id = $3::text) AS found ON true;

-- all_find_nameds
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(_kind, _programme, _id, n)
  LEFT JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum, removed.id FROM (SELECT 1) AS one
  LEFT JOIN registered ON registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id LEFT JOIN removed ON removed.kind = asked._kind AND removed.programme = asked._programme AND removed.id = asked._id) AS found ON true;

-- all_find_use
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT digest, used_at FROM secret_use WHERE programme = $1::text AND client = $2::text) AS found ON true;

-- all_find_uses
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(_programme, _client, n)
  LEFT JOIN LATERAL (SELECT digest, used_at FROM secret_use WHERE programme = asked._programme AND client = asked._client) AS found ON true;

-- all_list_everywhere
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM registered WHERE registered.kind = $1::text) AS found ON true;

-- all_list_everywheres
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS asked(_kind, n)
  LEFT JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM registered WHERE registered.kind = asked._kind) AS found ON true;

-- all_list_items
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM registered WHERE kind = $1::text AND programme = $2::text
  AND position > coalesce((SELECT before.position FROM registered AS before
  WHERE before.kind = $1::text AND before.programme = $2::text AND before.id = $3::text), 0)
  ORDER BY position LIMIT $4::bigint) AS found ON true;

-- all_list_itemss
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_kind, _programme, _after, _most, n)
  LEFT JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum FROM registered WHERE kind = asked._kind AND programme = asked._programme
  AND position > coalesce((SELECT before.position FROM registered AS before
  WHERE before.kind = asked._kind AND before.programme = asked._programme AND before.id = asked._after), 0)
  ORDER BY position LIMIT asked._most) AS found ON true;

-- all_sweep_bound_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT code.digest FROM code WHERE (code.digest) > ($1::bytea)
  ORDER BY code.digest LIMIT 1 OFFSET $2::bigint) AS found ON true;

-- all_sweep_bound_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked(_from_digest, _most, n)
  LEFT JOIN LATERAL (SELECT code.digest FROM code WHERE (code.digest) > (asked._from_digest)
  ORDER BY code.digest LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_finished_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT finished_login.login FROM finished_login WHERE (finished_login.login) > ($1::bytea)
  ORDER BY finished_login.login LIMIT 1 OFFSET $2::bigint) AS found ON true;

-- all_sweep_bound_finished_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked(_from_login, _most, n)
  LEFT JOIN LATERAL (SELECT finished_login.login FROM finished_login WHERE (finished_login.login) > (asked._from_login)
  ORDER BY finished_login.login LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_kept_text
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT kept_text.programme, kept_text.use, kept_text.key FROM kept_text WHERE (kept_text.programme, kept_text.use, kept_text.key) > ($1::text, $2::text, $3::text)
  ORDER BY kept_text.programme, kept_text.use, kept_text.key LIMIT 1 OFFSET $4::bigint) AS found ON true;

-- all_sweep_bound_kept_texts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_use, _from_key, _most, n)
  LEFT JOIN LATERAL (SELECT kept_text.programme, kept_text.use, kept_text.key FROM kept_text WHERE (kept_text.programme, kept_text.use, kept_text.key) > (asked._from_programme, asked._from_use, asked._from_key)
  ORDER BY kept_text.programme, kept_text.use, kept_text.key LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_known_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT known_code.digest FROM known_code WHERE (known_code.digest) > ($1::bytea)
  ORDER BY known_code.digest LIMIT 1 OFFSET $2::bigint) AS found ON true;

-- all_sweep_bound_known_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bigint[]) WITH ORDINALITY AS asked(_from_digest, _most, n)
  LEFT JOIN LATERAL (SELECT known_code.digest FROM known_code WHERE (known_code.digest) > (asked._from_digest)
  ORDER BY known_code.digest LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT login.place FROM login WHERE (login.place) > ($1::bigint)
  ORDER BY login.place LIMIT 1 OFFSET $2::bigint) AS found ON true;

-- all_sweep_bound_login_attempt
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT login_attempt.programme, login_attempt.key FROM login_attempt WHERE (login_attempt.programme, login_attempt.key) > ($1::text, $2::text)
  ORDER BY login_attempt.programme, login_attempt.key LIMIT 1 OFFSET $3::bigint) AS found ON true;

-- all_sweep_bound_login_attempts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_key, _most, n)
  LEFT JOIN LATERAL (SELECT login_attempt.programme, login_attempt.key FROM login_attempt WHERE (login_attempt.programme, login_attempt.key) > (asked._from_programme, asked._from_key)
  ORDER BY login_attempt.programme, login_attempt.key LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[], $2::bigint[]) WITH ORDINALITY AS asked(_from_place, _most, n)
  LEFT JOIN LATERAL (SELECT login.place FROM login WHERE (login.place) > (asked._from_place)
  ORDER BY login.place LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_outage
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT outage.to_at, outage.from_at FROM outage WHERE (outage.to_at, outage.from_at) > ($1::bigint, $2::bigint)
  ORDER BY outage.to_at, outage.from_at LIMIT 1 OFFSET $3::bigint) AS found ON true;

-- all_sweep_bound_outages
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[]) WITH ORDINALITY AS asked(_from_to_at, _from_from_at, _most, n)
  LEFT JOIN LATERAL (SELECT outage.to_at, outage.from_at FROM outage WHERE (outage.to_at, outage.from_at) > (asked._from_to_at, asked._from_from_at)
  ORDER BY outage.to_at, outage.from_at LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_revoked_token
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT revoked_token.programme, revoked_token.key FROM revoked_token WHERE (revoked_token.programme, revoked_token.key) > ($1::text, $2::text)
  ORDER BY revoked_token.programme, revoked_token.key LIMIT 1 OFFSET $3::bigint) AS found ON true;

-- all_sweep_bound_revoked_tokens
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_key, _most, n)
  LEFT JOIN LATERAL (SELECT revoked_token.programme, revoked_token.key FROM revoked_token WHERE (revoked_token.programme, revoked_token.key) > (asked._from_programme, asked._from_key)
  ORDER BY revoked_token.programme, revoked_token.key LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_bound_throttle
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT throttle.counter, throttle.programme, throttle.key FROM throttle WHERE (throttle.counter, throttle.programme, throttle.key) > ($1::text, $2::text, $3::text)
  ORDER BY throttle.counter, throttle.programme, throttle.key LIMIT 1 OFFSET $4::bigint) AS found ON true;

-- all_sweep_bound_throttles
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_from_counter, _from_programme, _from_key, _most, n)
  LEFT JOIN LATERAL (SELECT throttle.counter, throttle.programme, throttle.key FROM throttle WHERE (throttle.counter, throttle.programme, throttle.key) > (asked._from_counter, asked._from_programme, asked._from_key)
  ORDER BY throttle.counter, throttle.programme, throttle.key LIMIT 1 OFFSET asked._most) AS found ON true;

-- all_sweep_look_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT code.digest, 1 FROM code
  WHERE (code.digest) > ($1::bytea) AND (code.digest) <= ($2::bytea) AND code.forget_at <= $3::bigint
  ORDER BY code.digest LIMIT $4::bigint) AS found ON true;

-- all_sweep_look_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS asked(_from_digest, _to_digest, _at, _most, n)
  LEFT JOIN LATERAL (SELECT code.digest, 1 FROM code
  WHERE (code.digest) > (asked._from_digest) AND (code.digest) <= (asked._to_digest) AND code.forget_at <= asked._at
  ORDER BY code.digest LIMIT asked._most) AS found ON true;

-- all_sweep_look_finished_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT finished_login.login, 1 FROM finished_login
  WHERE (finished_login.login) > ($1::bytea) AND (finished_login.login) <= ($2::bytea) AND finished_login.forget_at <= $3::bigint
  ORDER BY finished_login.login LIMIT $4::bigint) AS found ON true;

-- all_sweep_look_finished_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS asked(_from_login, _to_login, _at, _most, n)
  LEFT JOIN LATERAL (SELECT finished_login.login, 1 FROM finished_login
  WHERE (finished_login.login) > (asked._from_login) AND (finished_login.login) <= (asked._to_login) AND finished_login.forget_at <= asked._at
  ORDER BY finished_login.login LIMIT asked._most) AS found ON true;

-- all_sweep_look_kept_text
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT kept_text.programme, kept_text.use, kept_text.key, CASE WHEN kept_text.use = 'live_token' AND kept_text.kept <> '' THEN kept_text.ends_at ELSE 0 END FROM kept_text
  WHERE (kept_text.programme, kept_text.use, kept_text.key) > ($1::text, $2::text, $3::text) AND (kept_text.programme, kept_text.use, kept_text.key) <= ($4::text, $5::text, $6::text) AND kept_text.ends_at <= $7::bigint
  ORDER BY kept_text.programme, kept_text.use, kept_text.key LIMIT $8::bigint) AS found ON true;

-- all_sweep_look_kept_texts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_use, _from_key, _to_programme, _to_use, _to_key, _at, _most, n)
  LEFT JOIN LATERAL (SELECT kept_text.programme, kept_text.use, kept_text.key, CASE WHEN kept_text.use = 'live_token' AND kept_text.kept <> '' THEN kept_text.ends_at ELSE 0 END FROM kept_text
  WHERE (kept_text.programme, kept_text.use, kept_text.key) > (asked._from_programme, asked._from_use, asked._from_key) AND (kept_text.programme, kept_text.use, kept_text.key) <= (asked._to_programme, asked._to_use, asked._to_key) AND kept_text.ends_at <= asked._at
  ORDER BY kept_text.programme, kept_text.use, kept_text.key LIMIT asked._most) AS found ON true;

-- all_sweep_look_known_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT known_code.digest, 1 FROM known_code
  WHERE (known_code.digest) > ($1::bytea) AND (known_code.digest) <= ($2::bytea) AND known_code.place NOT BETWEEN $3::bigint AND $3::bigint + 491520000
  AND NOT EXISTS (SELECT 1 FROM login WHERE login.place = known_code.place)
  AND NOT EXISTS (SELECT 1 FROM code WHERE code.digest = known_code.digest)
  ORDER BY known_code.digest LIMIT $4::bigint) AS found ON true;

-- all_sweep_look_known_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS asked(_from_digest, _to_digest, _at, _most, n)
  LEFT JOIN LATERAL (SELECT known_code.digest, 1 FROM known_code
  WHERE (known_code.digest) > (asked._from_digest) AND (known_code.digest) <= (asked._to_digest) AND known_code.place NOT BETWEEN asked._at AND asked._at + 491520000
  AND NOT EXISTS (SELECT 1 FROM login WHERE login.place = known_code.place)
  AND NOT EXISTS (SELECT 1 FROM code WHERE code.digest = known_code.digest)
  ORDER BY known_code.digest LIMIT asked._most) AS found ON true;

-- all_sweep_look_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT login.place, login.place FROM login
  WHERE (login.place) > ($1::bigint) AND (login.place) <= ($2::bigint) AND substr(state, 62, 6) <= $3::bytea
  ORDER BY login.place LIMIT $4::bigint) AS found ON true;

-- all_sweep_look_login_attempt
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT login_attempt.programme, login_attempt.key, 1 FROM login_attempt
  WHERE (login_attempt.programme, login_attempt.key) > ($1::text, $2::text) AND (login_attempt.programme, login_attempt.key) <= ($3::text, $4::text) AND coalesce(login_attempt.locked_until, login_attempt.window_ends_at) <= $5::bigint
  ORDER BY login_attempt.programme, login_attempt.key LIMIT $6::bigint) AS found ON true;

-- all_sweep_look_login_attempts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_key, _to_programme, _to_key, _at, _most, n)
  LEFT JOIN LATERAL (SELECT login_attempt.programme, login_attempt.key, 1 FROM login_attempt
  WHERE (login_attempt.programme, login_attempt.key) > (asked._from_programme, asked._from_key) AND (login_attempt.programme, login_attempt.key) <= (asked._to_programme, asked._to_key) AND coalesce(login_attempt.locked_until, login_attempt.window_ends_at) <= asked._at
  ORDER BY login_attempt.programme, login_attempt.key LIMIT asked._most) AS found ON true;

-- all_sweep_look_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bytea[], $4::bigint[]) WITH ORDINALITY AS asked(_from_place, _to_place, _at, _most, n)
  LEFT JOIN LATERAL (SELECT login.place, login.place FROM login
  WHERE (login.place) > (asked._from_place) AND (login.place) <= (asked._to_place) AND substr(state, 62, 6) <= asked._at
  ORDER BY login.place LIMIT asked._most) AS found ON true;

-- all_sweep_look_outage
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT outage.to_at, outage.from_at, 1 FROM outage
  WHERE (outage.to_at, outage.from_at) > ($1::bigint, $2::bigint) AND (outage.to_at, outage.from_at) <= ($3::bigint, $4::bigint) AND outage.to_at + 86400000 <= $5::bigint
  ORDER BY outage.to_at, outage.from_at LIMIT $6::bigint) AS found ON true;

-- all_sweep_look_outages
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS asked(_from_to_at, _from_from_at, _to_to_at, _to_from_at, _at, _most, n)
  LEFT JOIN LATERAL (SELECT outage.to_at, outage.from_at, 1 FROM outage
  WHERE (outage.to_at, outage.from_at) > (asked._from_to_at, asked._from_from_at) AND (outage.to_at, outage.from_at) <= (asked._to_to_at, asked._to_from_at) AND outage.to_at + 86400000 <= asked._at
  ORDER BY outage.to_at, outage.from_at LIMIT asked._most) AS found ON true;

-- all_sweep_look_revoked_token
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT revoked_token.programme, revoked_token.key, revoked_token.expires_at FROM revoked_token
  WHERE (revoked_token.programme, revoked_token.key) > ($1::text, $2::text) AND (revoked_token.programme, revoked_token.key) <= ($3::text, $4::text) AND revoked_token.expires_at <= $5::bigint
  ORDER BY revoked_token.programme, revoked_token.key LIMIT $6::bigint) AS found ON true;

-- all_sweep_look_revoked_tokens
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::bigint[], $6::bigint[]) WITH ORDINALITY AS asked(_from_programme, _from_key, _to_programme, _to_key, _at, _most, n)
  LEFT JOIN LATERAL (SELECT revoked_token.programme, revoked_token.key, revoked_token.expires_at FROM revoked_token
  WHERE (revoked_token.programme, revoked_token.key) > (asked._from_programme, asked._from_key) AND (revoked_token.programme, revoked_token.key) <= (asked._to_programme, asked._to_key) AND revoked_token.expires_at <= asked._at
  ORDER BY revoked_token.programme, revoked_token.key LIMIT asked._most) AS found ON true;

-- all_sweep_look_throttle
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch LEFT JOIN (SELECT throttle.counter, throttle.programme, throttle.key, 1 FROM throttle
  WHERE (throttle.counter, throttle.programme, throttle.key) > ($1::text, $2::text, $3::text) AND (throttle.counter, throttle.programme, throttle.key) <= ($4::text, $5::text, $6::text) AND throttle.ends_at <= $7::bigint
  ORDER BY throttle.counter, throttle.programme, throttle.key LIMIT $8::bigint) AS found ON true;

-- all_sweep_look_throttles
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[]) WITH ORDINALITY AS asked(_from_counter, _from_programme, _from_key, _to_counter, _to_programme, _to_key, _at, _most, n)
  LEFT JOIN LATERAL (SELECT throttle.counter, throttle.programme, throttle.key, 1 FROM throttle
  WHERE (throttle.counter, throttle.programme, throttle.key) > (asked._from_counter, asked._from_programme, asked._from_key) AND (throttle.counter, throttle.programme, throttle.key) <= (asked._to_counter, asked._to_programme, asked._to_key) AND throttle.ends_at <= asked._at
  ORDER BY throttle.counter, throttle.programme, throttle.key LIMIT asked._most) AS found ON true;

-- change_attempt
UPDATE login_attempt SET used = $1::bigint, window_ends_at = $2::bigint, locked_until = $3::bigint,
  sum = $4::bigint WHERE login_attempt.programme = $5::text AND login_attempt.key = $6::text AND login_attempt.sum = $7::bigint RETURNING 1;

-- change_attempts
UPDATE login_attempt SET used = asked._used, window_ends_at = asked._window_ends_at, locked_until = asked._locked_until,
  sum = asked._sum FROM unnest($1::bigint[], $2::bigint[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::bigint[]) WITH ORDINALITY AS asked(_used, _window_ends_at, _locked_until, _sum, _programme, _key, _before, n) WHERE login_attempt.programme = asked._programme AND login_attempt.key = asked._key AND login_attempt.sum = asked._before RETURNING asked.n;

-- confirm_login
UPDATE login SET sum = login.sum
  WHERE login.place = $1::bigint AND login.login_digest = $2::bytea RETURNING 1;

-- confirm_logins
UPDATE login SET sum = login.sum
  FROM unnest($1::bigint[], $2::bytea[]) WITH ORDINALITY AS asked(_place, _login_digest, n) WHERE login.place = asked._place AND login.login_digest = asked._login_digest RETURNING asked.n;

-- drop_code
DELETE FROM code WHERE code.digest = $1::bytea AND code.rest = $2::bytea RETURNING 1;

-- drop_codes
DELETE FROM code USING unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked(_digest, _rest, n) WHERE code.digest = asked._digest AND code.rest = asked._rest RETURNING asked.n;

-- find_attempt
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT login_attempt.programme, login_attempt.key, login_attempt.used, login_attempt.window_ends_at, login_attempt.locked_until, login_attempt.sum FROM login_attempt WHERE login_attempt.programme = $1::text AND login_attempt.key = $2::text) AS found;

-- find_attempts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(_programme, _key, n)
  CROSS JOIN LATERAL (SELECT login_attempt.programme, login_attempt.key, login_attempt.used, login_attempt.window_ends_at, login_attempt.locked_until, login_attempt.sum FROM login_attempt WHERE login_attempt.programme = asked._programme AND login_attempt.key = asked._key) AS found;

-- find_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT code.digest, code.rest, code.place, code.programme, code.login, code.client, code.redirect_uri, code.subject, code.level, code.membership_number, code.scope, code.code_challenge, code.issued_at, code.expires_at, code.forget_at, code.era, code.details, code.sum, of_client.programme, of_client.owner, of_client.revoked_until, of_client.sum, of_subject.programme, of_subject.owner, of_subject.revoked_until, of_subject.sum FROM code LEFT JOIN revocation AS of_client ON of_client.programme = code.programme
  AND of_client.owner = 'client ' || code.client
  LEFT JOIN revocation AS of_subject ON of_subject.programme = code.programme
  AND of_subject.owner = 'subject ' || code.subject
  WHERE code.digest = $1::bytea AND code.rest = $2::bytea) AS found;

-- find_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[], $2::bytea[]) WITH ORDINALITY AS asked(_digest, _rest, n)
  CROSS JOIN LATERAL (SELECT code.digest, code.rest, code.place, code.programme, code.login, code.client, code.redirect_uri, code.subject, code.level, code.membership_number, code.scope, code.code_challenge, code.issued_at, code.expires_at, code.forget_at, code.era, code.details, code.sum, of_client.programme, of_client.owner, of_client.revoked_until, of_client.sum, of_subject.programme, of_subject.owner, of_subject.revoked_until, of_subject.sum FROM code LEFT JOIN revocation AS of_client ON of_client.programme = code.programme
  AND of_client.owner = 'client ' || code.client
  LEFT JOIN revocation AS of_subject ON of_subject.programme = code.programme
  AND of_subject.owner = 'subject ' || code.subject
  WHERE code.digest = asked._digest AND code.rest = asked._rest) AS found;

-- find_finished_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT finished_login.login, finished_login.forget_at, finished_login.sum FROM finished_login WHERE finished_login.login = $1::bytea) AS found;

-- find_finished_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bytea[]) WITH ORDINALITY AS asked(_login, n)
  CROSS JOIN LATERAL (SELECT finished_login.login, finished_login.forget_at, finished_login.sum FROM finished_login WHERE finished_login.login = asked._login) AS found;

-- find_kept
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum FROM kept_text WHERE kept_text.programme = $1::text AND kept_text.use = $2::text AND kept_text.key = $3::text) AS found;

-- find_kepts
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(_programme, _use, _key, n)
  CROSS JOIN LATERAL (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum FROM kept_text WHERE kept_text.programme = asked._programme AND kept_text.use = asked._use AND kept_text.key = asked._key) AS found;

-- find_key_check
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT value FROM meta WHERE name = $1::text) AS found;

-- find_key_checks
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[]) WITH ORDINALITY AS asked(_name, n)
  CROSS JOIN LATERAL (SELECT value FROM meta WHERE name = asked._name) AS found;

-- find_live
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum, revoked_token.programme, revoked_token.key, revoked_token.expires_at, revoked_token.sum FROM (SELECT 1) AS one LEFT JOIN kept_text ON kept_text.programme = $1::text AND kept_text.use = $2::text AND kept_text.key = $3::text
  LEFT JOIN revoked_token ON revoked_token.programme = $1::text AND revoked_token.key = $4::text) AS found;

-- find_lives
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[], $4::text[]) WITH ORDINALITY AS asked(_programme, _use, _key, _token, n)
  CROSS JOIN LATERAL (SELECT kept_text.programme, kept_text.use, kept_text.key, kept_text.kept, kept_text.mark, kept_text.ends_at, kept_text.sum, revoked_token.programme, revoked_token.key, revoked_token.expires_at, revoked_token.sum FROM (SELECT 1) AS one LEFT JOIN kept_text ON kept_text.programme = asked._programme AND kept_text.use = asked._use AND kept_text.key = asked._key
  LEFT JOIN revoked_token ON revoked_token.programme = asked._programme AND revoked_token.key = asked._token) AS found;

-- find_login
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT login.place, login.programme, login.client, login.subject, login.level, login.membership_number, login.scope, login.ends_at, login.era, login.login_digest, login.details, login.revoked_at, login.own_scope, login.state, login.sum, of_client.programme, of_client.owner, of_client.revoked_until, of_client.sum, of_subject.programme, of_subject.owner, of_subject.revoked_until, of_subject.sum FROM login LEFT JOIN revocation AS of_client ON of_client.programme = login.programme
  AND of_client.owner = 'client ' || login.client
  LEFT JOIN revocation AS of_subject ON of_subject.programme = login.programme
  AND of_subject.owner = 'subject ' || login.subject WHERE login.place = $1::bigint) AS found;

-- find_logins
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::bigint[]) WITH ORDINALITY AS asked(_place, n)
  CROSS JOIN LATERAL (SELECT login.place, login.programme, login.client, login.subject, login.level, login.membership_number, login.scope, login.ends_at, login.era, login.login_digest, login.details, login.revoked_at, login.own_scope, login.state, login.sum, of_client.programme, of_client.owner, of_client.revoked_until, of_client.sum, of_subject.programme, of_subject.owner, of_subject.revoked_until, of_subject.sum FROM login LEFT JOIN revocation AS of_client ON of_client.programme = login.programme
  AND of_client.owner = 'client ' || login.client
  LEFT JOIN revocation AS of_subject ON of_subject.programme = login.programme
  AND of_subject.owner = 'subject ' || login.subject WHERE login.place = asked._place) AS found;

-- find_named
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum, removed.id FROM (SELECT 1) AS one
  LEFT JOIN registered ON registered.kind = $1::text AND registered.programme = $2::text AND registered.id = $3::text LEFT JOIN removed ON removed.kind = $1::text AND removed.programme = $2::text AND removed.id = $3::text) AS found;

-- find_nameds
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(_kind, _programme, _id, n)
  CROSS JOIN LATERAL (SELECT registered.position, registered.kind, registered.programme, registered.id, registered.record, registered.sum, removed.id FROM (SELECT 1) AS one
  LEFT JOIN registered ON registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id LEFT JOIN removed ON removed.kind = asked._kind AND removed.programme = asked._programme AND removed.id = asked._id) AS found;

-- find_spent_code
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT known_code.digest, known_code.place, known_code.redirect_uri, known_code.code_challenge, known_code.sum, login.client FROM known_code
  JOIN login ON login.place = known_code.place AND login.programme = $1::text
  WHERE known_code.digest = $2::bytea) AS found;

-- find_spent_codes
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::bytea[]) WITH ORDINALITY AS asked(_programme, _digest, n)
  CROSS JOIN LATERAL (SELECT known_code.digest, known_code.place, known_code.redirect_uri, known_code.code_challenge, known_code.sum, login.client FROM known_code
  JOIN login ON login.place = known_code.place AND login.programme = asked._programme
  WHERE known_code.digest = asked._digest) AS found;

-- find_standing
SELECT 1, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN (SELECT revoked_token.programme, revoked_token.key, revoked_token.expires_at, revoked_token.sum, of_owner.programme, of_owner.owner, of_owner.revoked_until, of_owner.sum, of_all.programme, of_all.owner, of_all.revoked_until, of_all.sum, $1::text FROM (SELECT 1) AS one
  LEFT JOIN revoked_token ON revoked_token.programme = $2::text AND revoked_token.key = $3::text
  LEFT JOIN revocation AS of_owner ON of_owner.programme = $2::text AND of_owner.owner = $1::text
  LEFT JOIN revocation AS of_all ON of_all.programme = '' AND of_all.owner = '') AS found;

-- find_standings
SELECT asked.n, epoch.registrations, epoch.era, epoch.forgotten_until, epoch.accepted_era, epoch.accepted_time, found.* FROM epoch CROSS JOIN unnest($1::text[], $2::text[], $3::text[]) WITH ORDINALITY AS asked(_owner, _programme, _key, n)
  CROSS JOIN LATERAL (SELECT revoked_token.programme, revoked_token.key, revoked_token.expires_at, revoked_token.sum, of_owner.programme, of_owner.owner, of_owner.revoked_until, of_owner.sum, of_all.programme, of_all.owner, of_all.revoked_until, of_all.sum, asked._owner FROM (SELECT 1) AS one
  LEFT JOIN revoked_token ON revoked_token.programme = asked._programme AND revoked_token.key = asked._key
  LEFT JOIN revocation AS of_owner ON of_owner.programme = asked._programme AND of_owner.owner = asked._owner
  LEFT JOIN revocation AS of_all ON of_all.programme = '' AND of_all.owner = '') AS found;

-- issue_code
INSERT INTO code (digest, rest, place, programme, login, client, redirect_uri, subject, level, membership_number, scope, code_challenge, issued_at, expires_at, forget_at, era, details, sum) SELECT $1::bytea, $2::bytea, $3::bigint, $4::text, $5::text, $6::text, $7::text, $8::text, $9::text, $10::text, $11::text, $12::text, $13::bigint, $14::bigint, $15::bigint, $16::bigint, $17::text, $18::bigint WHERE NOT EXISTS (SELECT 1 FROM finished_login WHERE finished_login.login = $19::bytea) ON CONFLICT (programme, login) DO UPDATE SET
  digest = excluded.digest, rest = excluded.rest, place = excluded.place, programme = excluded.programme, login = excluded.login, client = excluded.client, redirect_uri = excluded.redirect_uri, subject = excluded.subject, level = excluded.level, membership_number = excluded.membership_number, scope = excluded.scope, code_challenge = excluded.code_challenge, issued_at = excluded.issued_at, expires_at = excluded.expires_at, forget_at = excluded.forget_at, era = excluded.era, details = excluded.details, sum = excluded.sum
  WHERE code.issued_at <= excluded.issued_at RETURNING 1;

-- issue_codes
INSERT INTO code (digest, rest, place, programme, login, client, redirect_uri, subject, level, membership_number, scope, code_challenge, issued_at, expires_at, forget_at, era, details, sum) SELECT asked._digest, asked._rest, asked._place, asked._programme, asked._login, asked._client, asked._redirect_uri, asked._subject, asked._level, asked._membership_number, asked._scope, asked._code_challenge, asked._issued_at, asked._expires_at, asked._forget_at, asked._era, asked._details, asked._sum FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::text[], $11::text[], $12::text[], $13::bigint[], $14::bigint[], $15::bigint[], $16::bigint[], $17::text[], $18::bigint[], $19::bytea[]) WITH ORDINALITY AS asked(_digest, _rest, _place, _programme, _login, _client, _redirect_uri, _subject, _level, _membership_number, _scope, _code_challenge, _issued_at, _expires_at, _forget_at, _era, _details, _sum, _finished, n) WHERE NOT EXISTS (SELECT 1 FROM finished_login WHERE finished_login.login = asked._finished) ORDER BY n ON CONFLICT (programme, login) DO UPDATE SET
  digest = excluded.digest, rest = excluded.rest, place = excluded.place, programme = excluded.programme, login = excluded.login, client = excluded.client, redirect_uri = excluded.redirect_uri, subject = excluded.subject, level = excluded.level, membership_number = excluded.membership_number, scope = excluded.scope, code_challenge = excluded.code_challenge, issued_at = excluded.issued_at, expires_at = excluded.expires_at, forget_at = excluded.forget_at, era = excluded.era, details = excluded.details, sum = excluded.sum
  WHERE code.issued_at <= excluded.issued_at RETURNING programme, login;

-- keep_key_check
INSERT INTO meta (name, value) VALUES ($1::text, $2::text) ON CONFLICT (name) DO NOTHING RETURNING 1;

-- keep_key_checks
INSERT INTO meta (name, value) SELECT asked._name, asked._value FROM unnest($1::text[], $2::text[]) WITH ORDINALITY AS asked(_name, _value, n) ORDER BY n ON CONFLICT (name) DO NOTHING RETURNING name;

-- keep_once
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT $1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint WHERE NOT EXISTS (SELECT 1 FROM kept_text AS floor WHERE floor.programme = ''
  AND floor.use = 'assertion' AND floor.key = ''
  AND $8::bigint <= CAST(floor.kept AS bigint)) ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum WHERE kept_text.ends_at <= $9::bigint OR kept_text.mark = excluded.mark RETURNING 1;

-- keep_onces
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[], $8::bigint[], $9::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, _issued_at, _now, n) WHERE NOT EXISTS (SELECT 1 FROM kept_text AS floor WHERE floor.programme = ''
  AND floor.use = 'assertion' AND floor.key = ''
  AND asked._issued_at <= CAST(floor.kept AS bigint)) ORDER BY n ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum WHERE kept_text.ends_at <= asked._now OR kept_text.mark = excluded.mark RETURNING programme, use, key;

-- keep_text
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) VALUES ($1::text, $2::text, $3::text, $4::text, $5::text, $6::bigint, $7::bigint) ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum RETURNING 1;

-- keep_texts
INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::bigint[], $7::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, n) ORDER BY n ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum RETURNING programme, use, key;

-- put_known_code
INSERT INTO known_code (digest, place, redirect_uri, code_challenge, sum) VALUES ($1::bytea, $2::bigint, $3::text, $4::text, $5::bigint) ON CONFLICT (digest) DO UPDATE
  SET place = excluded.place, redirect_uri = excluded.redirect_uri, code_challenge = excluded.code_challenge, sum = excluded.sum RETURNING 1;

-- put_known_codes
INSERT INTO known_code (digest, place, redirect_uri, code_challenge, sum) SELECT asked._digest, asked._place, asked._redirect_uri, asked._code_challenge, asked._known_sum FROM unnest($1::bytea[], $2::bigint[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS asked(_digest, _place, _redirect_uri, _code_challenge, _known_sum, n) ORDER BY n ON CONFLICT (digest) DO UPDATE
  SET place = excluded.place, redirect_uri = excluded.redirect_uri, code_challenge = excluded.code_challenge, sum = excluded.sum RETURNING digest;

-- put_use
INSERT INTO secret_use (programme, client, digest, used_at) SELECT $1::text, $2::text, $3::text, $4::bigint WHERE EXISTS (SELECT 1 FROM registered WHERE kind = 'client'
  AND registered.programme = $1::text AND registered.id = $2::text) ON CONFLICT (programme, client, digest) DO UPDATE SET used_at = excluded.used_at
  WHERE excluded.used_at - secret_use.used_at >= 3600000
  OR secret_use.used_at - excluded.used_at > 60000 RETURNING 1;

-- put_uses
INSERT INTO secret_use (programme, client, digest, used_at) SELECT asked._programme, asked._client, asked._digest, asked._used_at FROM unnest($1::text[], $2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_programme, _client, _digest, _used_at, n) WHERE EXISTS (SELECT 1 FROM registered WHERE kind = 'client'
  AND registered.programme = asked._programme AND registered.id = asked._client) ORDER BY n ON CONFLICT (programme, client, digest) DO UPDATE SET used_at = excluded.used_at
  WHERE excluded.used_at - secret_use.used_at >= 3600000
  OR secret_use.used_at - excluded.used_at > 60000 RETURNING programme, client, digest;

-- remove_attempt
DELETE FROM login_attempt WHERE login_attempt.programme = $1::text AND login_attempt.key = $2::text AND login_attempt.sum = $3::bigint RETURNING 1;

-- remove_attempts
DELETE FROM login_attempt USING unnest($1::text[], $2::text[], $3::bigint[]) WITH ORDINALITY AS asked(_programme, _key, _before, n) WHERE login_attempt.programme = asked._programme AND login_attempt.key = asked._key AND login_attempt.sum = asked._before RETURNING asked.n;

-- replace_live
UPDATE kept_text SET kept = $1::text, mark = $2::text, ends_at = $3::bigint, sum = $4::bigint
  WHERE kept_text.programme = $5::text AND kept_text.use = $6::text AND kept_text.key = $7::text AND kept_text.kept IN ($8::text) RETURNING 1;

-- replace_live_again
UPDATE kept_text SET kept = $1::text, mark = $2::text, ends_at = $3::bigint, sum = $4::bigint
  WHERE kept_text.programme = $5::text AND kept_text.use = $6::text AND kept_text.key = $7::text AND kept_text.kept IN ($8::text, $1::text) RETURNING 1;

-- replace_live_again_endings
WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[]) WITH ORDINALITY AS asked(_text_programme, _text_use, _text_key, _before, _text_kept, _text_mark, _text_ends_at, _text_sum, _programme, _key, _expires_at, _sum, n)),
  done0 AS (SELECT asked.n FROM asked
  CROSS JOIN LATERAL (SELECT 1 FROM kept_text WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before, asked._text_kept) FOR UPDATE) AS held ORDER BY asked.n),
  done1 AS (UPDATE kept_text SET kept = asked._text_kept, mark = asked._text_mark, ends_at = asked._text_ends_at, sum = asked._text_sum
  FROM asked JOIN done0 USING (n) WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before, asked._text_kept) RETURNING asked.n),
  made2 AS (INSERT INTO revoked_token (programme, key, expires_at, sum) SELECT asked._programme, asked._key, asked._expires_at, asked._sum FROM asked JOIN done1 USING (n) ORDER BY n ON CONFLICT (programme, key) DO UPDATE SET
  expires_at = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.expires_at ELSE revoked_token.expires_at END,
  sum = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.sum ELSE revoked_token.sum END RETURNING programme, key),
  done2 AS (SELECT n FROM asked JOIN made2 ON made2.programme = asked._programme AND made2.key = asked._key)
  SELECT n, 1 FROM done0 UNION ALL SELECT n, 2 FROM done1 UNION ALL SELECT n, 3 FROM done2;

-- replace_live_agains
UPDATE kept_text SET kept = asked._text_kept, mark = asked._text_mark, ends_at = asked._text_ends_at, sum = asked._text_sum
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS asked(_text_kept, _text_mark, _text_ends_at, _text_sum, _text_programme, _text_use, _text_key, _before, n) WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before, asked._text_kept) RETURNING asked.n;

-- replace_live_endings
WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::text[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::bigint[], $8::bigint[], $9::text[], $10::text[], $11::bigint[], $12::bigint[]) WITH ORDINALITY AS asked(_text_programme, _text_use, _text_key, _before, _text_kept, _text_mark, _text_ends_at, _text_sum, _programme, _key, _expires_at, _sum, n)),
  done0 AS (SELECT asked.n FROM asked
  CROSS JOIN LATERAL (SELECT 1 FROM kept_text WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before) FOR UPDATE) AS held ORDER BY asked.n),
  done1 AS (UPDATE kept_text SET kept = asked._text_kept, mark = asked._text_mark, ends_at = asked._text_ends_at, sum = asked._text_sum
  FROM asked JOIN done0 USING (n) WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before) RETURNING asked.n),
  made2 AS (INSERT INTO revoked_token (programme, key, expires_at, sum) SELECT asked._programme, asked._key, asked._expires_at, asked._sum FROM asked JOIN done1 USING (n) ORDER BY n ON CONFLICT (programme, key) DO UPDATE SET
  expires_at = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.expires_at ELSE revoked_token.expires_at END,
  sum = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.sum ELSE revoked_token.sum END RETURNING programme, key),
  done2 AS (SELECT n FROM asked JOIN made2 ON made2.programme = asked._programme AND made2.key = asked._key)
  SELECT n, 1 FROM done0 UNION ALL SELECT n, 2 FROM done1 UNION ALL SELECT n, 3 FROM done2;

-- replace_lives
UPDATE kept_text SET kept = asked._text_kept, mark = asked._text_mark, ends_at = asked._text_ends_at, sum = asked._text_sum
  FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[], $5::text[], $6::text[], $7::text[], $8::text[]) WITH ORDINALITY AS asked(_text_kept, _text_mark, _text_ends_at, _text_sum, _text_programme, _text_use, _text_key, _before, n) WHERE kept_text.programme = asked._text_programme AND kept_text.use = asked._text_use AND kept_text.key = asked._text_key AND kept_text.kept IN (asked._before) RETURNING asked.n;

-- revoke_login
UPDATE login SET revoked_at = coalesce(revoked_at, $1::bigint), own_scope = CASE WHEN revoked_at IS NULL THEN $2::text ELSE own_scope END,
  state = CASE WHEN revoked_at IS NULL THEN $3::bytea ELSE state END, sum = CASE WHEN revoked_at IS NULL THEN $4::bigint ELSE sum END
  WHERE place = $5::bigint AND programme = $6::text AND (revoked_at IS NOT NULL OR login.state = $3::bytea) RETURNING 1;

-- revoke_login_anyway
UPDATE login SET revoked_at = coalesce(revoked_at, $1::bigint), own_scope = CASE WHEN revoked_at IS NULL THEN $2::text ELSE own_scope END,
  state = CASE WHEN revoked_at IS NULL THEN $3::bytea ELSE state END, sum = CASE WHEN revoked_at IS NULL THEN $4::bigint ELSE sum END
  WHERE place = $5::bigint AND programme = $6::text AND login.login_digest = $7::bytea RETURNING 1;

-- revoke_login_anyways
UPDATE login SET revoked_at = coalesce(revoked_at, asked._revoked_at), own_scope = CASE WHEN revoked_at IS NULL THEN asked._own_scope ELSE own_scope END,
  state = CASE WHEN revoked_at IS NULL THEN asked._state ELSE state END, sum = CASE WHEN revoked_at IS NULL THEN asked._sum ELSE sum END
  FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[], $6::text[], $7::bytea[]) WITH ORDINALITY AS asked(_revoked_at, _own_scope, _state, _sum, _place, _programme, _login_digest, n) WHERE place = asked._place AND programme = asked._programme AND login.login_digest = asked._login_digest RETURNING asked.n;

-- revoke_logins
UPDATE login SET revoked_at = coalesce(revoked_at, asked._revoked_at), own_scope = CASE WHEN revoked_at IS NULL THEN asked._own_scope ELSE own_scope END,
  state = CASE WHEN revoked_at IS NULL THEN asked._state ELSE state END, sum = CASE WHEN revoked_at IS NULL THEN asked._sum ELSE sum END
  FROM unnest($1::bigint[], $2::text[], $3::bytea[], $4::bigint[], $5::bigint[], $6::text[]) WITH ORDINALITY AS asked(_revoked_at, _own_scope, _state, _sum, _place, _programme, n) WHERE place = asked._place AND programme = asked._programme AND (revoked_at IS NOT NULL OR login.state = asked._state) RETURNING asked.n;

-- revoke_token
INSERT INTO revoked_token (programme, key, expires_at, sum) VALUES ($1::text, $2::text, $3::bigint, $4::bigint) ON CONFLICT (programme, key) DO UPDATE SET
  expires_at = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.expires_at ELSE revoked_token.expires_at END,
  sum = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.sum ELSE revoked_token.sum END RETURNING 1;

-- revoke_tokens
INSERT INTO revoked_token (programme, key, expires_at, sum) SELECT asked._programme, asked._key, asked._expires_at, asked._sum FROM unnest($1::text[], $2::text[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS asked(_programme, _key, _expires_at, _sum, n) ORDER BY n ON CONFLICT (programme, key) DO UPDATE SET
  expires_at = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.expires_at ELSE revoked_token.expires_at END,
  sum = CASE WHEN excluded.expires_at > revoked_token.expires_at THEN excluded.sum ELSE revoked_token.sum END RETURNING programme, key;

-- silence_lease
UPDATE node_lease SET facts = NULL WHERE holder = $1::text RETURNING 1;

-- silence_leases
UPDATE node_lease SET facts = NULL FROM unnest($1::text[]) WITH ORDINALITY AS asked(_holder, n) WHERE holder = asked._holder RETURNING asked.n;

-- spend_code_elsewheres
WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bytea[], $13::text[], $14::bigint[], $15::text[], $16::bytea[], $17::bigint[], $18::bytea[], $19::bigint[], $20::bigint[], $21::text[], $22::text[], $23::bigint[]) WITH ORDINALITY AS asked(_digest, _rest, _place, _programme, _client, _subject, _level, _membership_number, _scope, _ends_at, _era, _login_digest, _details, _revoked_at, _own_scope, _state, _sum, _login, _forget_at, _finished_sum, _redirect_uri, _code_challenge, _known_sum, n)),
  done0 AS (SELECT asked.n FROM asked
  CROSS JOIN LATERAL (SELECT 1 FROM code WHERE code.digest = asked._digest AND code.rest = asked._rest FOR UPDATE) AS held ORDER BY asked.n),
  made1 AS (INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) SELECT asked._place, asked._programme, asked._client, asked._subject, asked._level, asked._membership_number, asked._scope, asked._ends_at, asked._era, asked._login_digest, asked._details, asked._revoked_at, asked._own_scope, asked._state, asked._sum FROM asked JOIN done0 USING (n) ORDER BY n ON CONFLICT (place) DO NOTHING RETURNING place, login_digest),
  done1 AS (SELECT n FROM asked JOIN made1 ON made1.place = asked._place AND made1.login_digest = asked._login_digest),
  made2 AS (INSERT INTO finished_login (login, forget_at, sum) SELECT asked._login, asked._forget_at, asked._finished_sum FROM asked JOIN done1 USING (n) ORDER BY n ON CONFLICT (login) DO UPDATE
  SET forget_at = excluded.forget_at, sum = excluded.sum RETURNING login),
  done2 AS (SELECT n FROM asked JOIN made2 ON made2.login = asked._login),
  made3 AS (INSERT INTO known_code (digest, place, redirect_uri, code_challenge, sum) SELECT asked._digest, asked._place, asked._redirect_uri, asked._code_challenge, asked._known_sum FROM asked JOIN done2 USING (n) ORDER BY n ON CONFLICT (digest) DO UPDATE
  SET place = excluded.place, redirect_uri = excluded.redirect_uri, code_challenge = excluded.code_challenge, sum = excluded.sum RETURNING digest),
  done3 AS (SELECT n FROM asked JOIN made3 ON made3.digest = asked._digest),
  done4 AS (DELETE FROM code USING asked JOIN done3 USING (n) WHERE code.digest = asked._digest AND code.rest = asked._rest RETURNING asked.n)
  SELECT n, 1 FROM done0 UNION ALL SELECT n, 2 FROM done1 UNION ALL SELECT n, 3 FROM done2 UNION ALL SELECT n, 4 FROM done3 UNION ALL SELECT n, 5 FROM done4;

-- spend_codes
WITH asked AS MATERIALIZED (SELECT * FROM unnest($1::bytea[], $2::bytea[], $3::bigint[], $4::text[], $5::text[], $6::text[], $7::text[], $8::text[], $9::text[], $10::bigint[], $11::bigint[], $12::bytea[], $13::text[], $14::bigint[], $15::text[], $16::bytea[], $17::bigint[], $18::bytea[], $19::bigint[], $20::bigint[]) WITH ORDINALITY AS asked(_digest, _rest, _place, _programme, _client, _subject, _level, _membership_number, _scope, _ends_at, _era, _login_digest, _details, _revoked_at, _own_scope, _state, _sum, _login, _forget_at, _finished_sum, n)),
  done0 AS (SELECT asked.n FROM asked
  CROSS JOIN LATERAL (SELECT 1 FROM code WHERE code.digest = asked._digest AND code.rest = asked._rest FOR UPDATE) AS held ORDER BY asked.n),
  made1 AS (INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) SELECT asked._place, asked._programme, asked._client, asked._subject, asked._level, asked._membership_number, asked._scope, asked._ends_at, asked._era, asked._login_digest, asked._details, asked._revoked_at, asked._own_scope, asked._state, asked._sum FROM asked JOIN done0 USING (n) ORDER BY n ON CONFLICT (place) DO NOTHING RETURNING place, login_digest),
  done1 AS (SELECT n FROM asked JOIN made1 ON made1.place = asked._place AND made1.login_digest = asked._login_digest),
  made2 AS (INSERT INTO finished_login (login, forget_at, sum) SELECT asked._login, asked._forget_at, asked._finished_sum FROM asked JOIN done1 USING (n) ORDER BY n ON CONFLICT (login) DO UPDATE
  SET forget_at = excluded.forget_at, sum = excluded.sum RETURNING login),
  done2 AS (SELECT n FROM asked JOIN made2 ON made2.login = asked._login),
  done3 AS (DELETE FROM code USING asked JOIN done2 USING (n) WHERE code.digest = asked._digest AND code.rest = asked._rest RETURNING asked.n)
  SELECT n, 1 FROM done0 UNION ALL SELECT n, 2 FROM done1 UNION ALL SELECT n, 3 FROM done2 UNION ALL SELECT n, 4 FROM done3;

-- start_login
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::bigint, $10::bytea, $11::text, $12::bigint, $13::text, $14::bytea, $15::bigint) ON CONFLICT (place) DO NOTHING RETURNING 1;

-- start_login_again
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) VALUES ($1::bigint, $2::text, $3::text, $4::text, $5::text, $6::text, $7::text, $8::bigint, $9::bigint, $10::bytea, $11::text, $12::bigint, $13::text, $14::bytea, $15::bigint) ON CONFLICT (place) DO UPDATE SET sum = login.sum
  WHERE login.login_digest = excluded.login_digest RETURNING 1;

-- start_login_agains
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) SELECT asked._place, asked._programme, asked._client, asked._subject, asked._level, asked._membership_number, asked._scope, asked._ends_at, asked._era, asked._login_digest, asked._details, asked._revoked_at, asked._own_scope, asked._state, asked._sum FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bytea[], $11::text[], $12::bigint[], $13::text[], $14::bytea[], $15::bigint[]) WITH ORDINALITY AS asked(_place, _programme, _client, _subject, _level, _membership_number, _scope, _ends_at, _era, _login_digest, _details, _revoked_at, _own_scope, _state, _sum, n) ORDER BY n ON CONFLICT (place) DO UPDATE SET sum = login.sum
  WHERE login.login_digest = excluded.login_digest RETURNING place;

-- start_logins
INSERT INTO login (place, programme, client, subject, level, membership_number, scope, ends_at, era, login_digest, details, revoked_at, own_scope, state, sum) SELECT asked._place, asked._programme, asked._client, asked._subject, asked._level, asked._membership_number, asked._scope, asked._ends_at, asked._era, asked._login_digest, asked._details, asked._revoked_at, asked._own_scope, asked._state, asked._sum FROM unnest($1::bigint[], $2::text[], $3::text[], $4::text[], $5::text[], $6::text[], $7::text[], $8::bigint[], $9::bigint[], $10::bytea[], $11::text[], $12::bigint[], $13::text[], $14::bytea[], $15::bigint[]) WITH ORDINALITY AS asked(_place, _programme, _client, _subject, _level, _membership_number, _scope, _ends_at, _era, _login_digest, _details, _revoked_at, _own_scope, _state, _sum, n) ORDER BY n ON CONFLICT (place) DO NOTHING RETURNING place;

-- sweep_code
DELETE FROM code USING unnest($2::bytea[], $3::bigint[]) WITH ORDINALITY AS asked(_row_digest, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND code.digest = asked._row_digest AND code.forget_at <= asked._at RETURNING 1;

-- sweep_finished_login
DELETE FROM finished_login USING unnest($2::bytea[], $3::bigint[]) WITH ORDINALITY AS asked(_row_login, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND finished_login.login = asked._row_login AND finished_login.forget_at <= asked._at RETURNING 1;

-- sweep_kept_text
DELETE FROM kept_text USING unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS asked(_row_programme, _row_use, _row_key, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND kept_text.programme = asked._row_programme AND kept_text.use = asked._row_use AND kept_text.key = asked._row_key AND kept_text.ends_at <= asked._at RETURNING 1;

-- sweep_known_code
DELETE FROM known_code USING unnest($2::bytea[], $3::bigint[]) WITH ORDINALITY AS asked(_row_digest, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND known_code.digest = asked._row_digest AND known_code.place NOT BETWEEN asked._at AND asked._at + 491520000
  AND NOT EXISTS (SELECT 1 FROM login WHERE login.place = known_code.place)
  AND NOT EXISTS (SELECT 1 FROM code WHERE code.digest = known_code.digest) RETURNING 1;

-- sweep_login
DELETE FROM login USING unnest($2::bigint[], $3::bytea[]) WITH ORDINALITY AS asked(_row_place, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND login.place = asked._row_place AND substr(state, 62, 6) <= asked._at RETURNING 1;

-- sweep_login_attempt
DELETE FROM login_attempt USING unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_row_programme, _row_key, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND login_attempt.programme = asked._row_programme AND login_attempt.key = asked._row_key AND coalesce(login_attempt.locked_until, login_attempt.window_ends_at) <= asked._at RETURNING 1;

-- sweep_outage
DELETE FROM outage USING unnest($2::bigint[], $3::bigint[], $4::bigint[]) WITH ORDINALITY AS asked(_row_to_at, _row_from_at, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND outage.to_at = asked._row_to_at AND outage.from_at = asked._row_from_at AND outage.to_at + 86400000 <= asked._at RETURNING 1;

-- sweep_revoked_token
DELETE FROM revoked_token USING unnest($2::text[], $3::text[], $4::bigint[]) WITH ORDINALITY AS asked(_row_programme, _row_key, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND revoked_token.programme = asked._row_programme AND revoked_token.key = asked._row_key AND revoked_token.expires_at <= asked._at RETURNING 1;

-- sweep_throttle
DELETE FROM throttle USING unnest($2::text[], $3::text[], $4::text[], $5::bigint[]) WITH ORDINALITY AS asked(_row_counter, _row_programme, _row_key, _at, n) WHERE EXISTS (SELECT FROM epoch WHERE accepted_era IS NOT DISTINCT FROM $1::bigint FOR SHARE) AND throttle.counter = asked._row_counter AND throttle.programme = asked._row_programme AND throttle.key = asked._row_key AND throttle.ends_at <= asked._at RETURNING 1;

-- take_lease
INSERT INTO node_lease (node, holder, expires_at, facts) VALUES ($1::bigint, $2::text, $3::bigint, $4::text) ON CONFLICT (node) DO UPDATE
  SET holder = excluded.holder, expires_at = excluded.expires_at, facts = excluded.facts
  WHERE node_lease.holder = excluded.holder
  OR node_lease.expires_at <= excluded.expires_at - 120000
  OR node_lease.expires_at > excluded.expires_at + 60000 RETURNING 1;

-- take_leases
INSERT INTO node_lease (node, holder, expires_at, facts) SELECT asked._node, asked._holder, asked._expires_at, asked._facts FROM unnest($1::bigint[], $2::text[], $3::bigint[], $4::text[]) WITH ORDINALITY AS asked(_node, _holder, _expires_at, _facts, n) ORDER BY n ON CONFLICT (node) DO UPDATE
  SET holder = excluded.holder, expires_at = excluded.expires_at, facts = excluded.facts
  WHERE node_lease.holder = excluded.holder
  OR node_lease.expires_at <= excluded.expires_at - 120000
  OR node_lease.expires_at > excluded.expires_at + 60000 RETURNING node;

-- write_registered
WITH gate AS (
  UPDATE epoch SET registrations = registrations + 1, era = era + ($3::boolean)::int, op = $4
  WHERE registrations = $1 AND era = $2 RETURNING 1
  ),
  step0 AS (DELETE FROM registered USING unnest($5::text[], $6::text[], $7::text[]) WITH ORDINALITY AS asked(_kind, _programme, _id, n) WHERE EXISTS (SELECT FROM gate) AND registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id),
  step1 AS (UPDATE registered SET record = asked._record, sum = asked._sum FROM unnest($8::text[], $9::bigint[], $10::text[], $11::text[], $12::text[]) WITH ORDINALITY AS asked(_record, _sum, _kind, _programme, _id, n) WHERE EXISTS (SELECT FROM gate) AND registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id),
  step2 AS (INSERT INTO registered (kind, programme, id, record, sum) SELECT asked._kind, asked._programme, asked._id, asked._record, asked._sum FROM unnest($13::text[], $14::text[], $15::text[], $16::text[], $17::bigint[]) WITH ORDINALITY AS asked(_kind, _programme, _id, _record, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ),
  step3 AS (INSERT INTO removed (kind, programme, id, removed_at, sum) SELECT asked._kind, asked._programme, asked._id, asked._removed_at, asked._sum FROM unnest($18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[]) WITH ORDINALITY AS asked(_kind, _programme, _id, _removed_at, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT DO NOTHING),
  step4 AS (DELETE FROM look_up USING unnest($23::text[], $24::text[], $25::text[], $26::text[], $27::text[]) WITH ORDINALITY AS asked(_kind, _programme, _id, _name, _key, n) WHERE EXISTS (SELECT FROM gate) AND look_up.kind = asked._kind AND look_up.programme = asked._programme AND look_up.id = asked._id AND look_up.name = asked._name AND look_up.key = asked._key),
  step5 AS (DELETE FROM look_up USING unnest($28::text[], $29::text[], $30::text[]) WITH ORDINALITY AS asked(_kind, _programme, _id, n) WHERE EXISTS (SELECT FROM gate) AND look_up.kind = asked._kind AND look_up.programme = asked._programme AND look_up.id = asked._id),
  step6 AS (INSERT INTO look_up (kind, programme, name, key, id, sum) SELECT asked._kind, asked._programme, asked._name, asked._key, asked._id, asked._sum FROM unnest($31::text[], $32::text[], $33::text[], $34::text[], $35::text[], $36::bigint[]) WITH ORDINALITY AS asked(_kind, _programme, _name, _key, _id, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT DO NOTHING),
  step7 AS (INSERT INTO revocation (programme, owner, revoked_until, sum) SELECT asked._programme, asked._owner, asked._revoked_until, asked._sum FROM unnest($37::text[], $38::text[], $39::bigint[], $40::bigint[]) WITH ORDINALITY AS asked(_programme, _owner, _revoked_until, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT (programme, owner) DO UPDATE
  SET revoked_until = excluded.revoked_until, sum = excluded.sum
  WHERE excluded.revoked_until > revocation.revoked_until),
  step8 AS (DELETE FROM secret_use USING unnest($41::text[], $42::text[], $43::text[]) WITH ORDINALITY AS asked(_programme, _id, _held, n) WHERE EXISTS (SELECT FROM gate) AND secret_use.programme = asked._programme AND secret_use.client = asked._id
  AND replace(asked._held, secret_use.digest, '') = asked._held)
  SELECT 1 FROM gate;

-- write_time
WITH gate AS (
  UPDATE epoch SET registrations = registrations + 1, era = era + ($3::boolean)::int, op = $4
  WHERE registrations = $1 AND era = $2 RETURNING 1
  ),
  step0 AS (DELETE FROM code USING unnest($5::bigint[]) WITH ORDINALITY AS asked(_issued_at, n) WHERE EXISTS (SELECT FROM gate) AND code.issued_at > asked._issued_at),
  step1 AS (DELETE FROM login USING unnest($6::bigint[], $7::bigint[]) WITH ORDINALITY AS asked(_place, _era, n) WHERE EXISTS (SELECT FROM gate) AND login.place >= asked._place AND login.era > asked._era),
  step2 AS (DELETE FROM login USING unnest($8::bigint[]) WITH ORDINALITY AS asked(_ends_at, n) WHERE EXISTS (SELECT FROM gate) AND login.ends_at <= asked._ends_at),
  step3 AS (UPDATE login SET ends_at = asked._ends_at, state = asked._state, sum = asked._sum
  FROM unnest($9::bigint[], $10::bytea[], $11::bigint[], $12::bigint[], $13::bytea[]) WITH ORDINALITY AS asked(_ends_at, _state, _sum, _place, _before, n) WHERE EXISTS (SELECT FROM gate) AND login.place = asked._place AND login.state = asked._before),
  step4 AS (DELETE FROM login_attempt USING unnest($14::bigint[]) WITH ORDINALITY AS asked(_time, n) WHERE EXISTS (SELECT FROM gate) AND asked._time IS NOT NULL),
  step5 AS (UPDATE secret_use SET used_at = asked._used_at FROM unnest($15::bigint[]) WITH ORDINALITY AS asked(_used_at, n) WHERE EXISTS (SELECT FROM gate) AND secret_use.used_at > asked._used_at),
  step6 AS (INSERT INTO kept_text (programme, use, key, kept, mark, ends_at, sum) SELECT asked._programme, asked._use, asked._key, asked._kept, asked._mark, asked._ends_at, asked._sum FROM unnest($16::text[], $17::text[], $18::text[], $19::text[], $20::text[], $21::bigint[], $22::bigint[]) WITH ORDINALITY AS asked(_programme, _use, _key, _kept, _mark, _ends_at, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT (programme, use, key) DO UPDATE
  SET kept = excluded.kept, mark = excluded.mark, ends_at = excluded.ends_at, sum = excluded.sum WHERE excluded.ends_at > kept_text.ends_at),
  step7 AS (UPDATE kept_text SET mark = asked._mark, sum = asked._sum
  FROM unnest($23::text[], $24::bigint[], $25::text[], $26::text[], $27::text[], $28::text[]) WITH ORDINALITY AS asked(_mark, _sum, _programme, _use, _key, _kept, n) WHERE EXISTS (SELECT FROM gate) AND kept_text.programme = asked._programme AND kept_text.use = asked._use AND kept_text.key = asked._key
  AND kept_text.kept = asked._kept),
  step8 AS (UPDATE registered SET record = asked._record, sum = asked._sum FROM unnest($29::text[], $30::bigint[], $31::text[], $32::text[], $33::text[]) WITH ORDINALITY AS asked(_record, _sum, _kind, _programme, _id, n) WHERE EXISTS (SELECT FROM gate) AND registered.kind = asked._kind AND registered.programme = asked._programme AND registered.id = asked._id),
  step9 AS (INSERT INTO revocation (programme, owner, revoked_until, sum) SELECT asked._programme, asked._owner, asked._revoked_until, asked._sum FROM unnest($34::text[], $35::text[], $36::bigint[], $37::bigint[]) WITH ORDINALITY AS asked(_programme, _owner, _revoked_until, _sum, n) WHERE EXISTS (SELECT FROM gate) ORDER BY n ON CONFLICT (programme, owner) DO UPDATE
  SET revoked_until = excluded.revoked_until, sum = excluded.sum
  WHERE excluded.revoked_until > revocation.revoked_until)
  SELECT 1 FROM gate;
