ALTER TABLE jetway.login SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_analyze_scale_factor = 0.02, autovacuum_vacuum_insert_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);

ALTER TABLE jetway.code SET (autovacuum_vacuum_scale_factor = 0.02, autovacuum_analyze_scale_factor = 0.05, autovacuum_vacuum_cost_delay = 1);

ALTER TABLE jetway.known_code SET (autovacuum_vacuum_scale_factor = 0.01, autovacuum_vacuum_insert_scale_factor = 0.05);

ALTER TABLE jetway.finished_login SET (autovacuum_vacuum_scale_factor = 0.05, autovacuum_vacuum_insert_scale_factor = 0.05);

ALTER TABLE jetway.throttle SET (autovacuum_vacuum_threshold = 1000, autovacuum_vacuum_scale_factor = 0, autovacuum_vacuum_cost_delay = 0);

ALTER TABLE jetway.epoch SET (autovacuum_vacuum_threshold = 200, autovacuum_vacuum_scale_factor = 0);

