// Owns how the tables of an older PostgreSQL store become those of this Jetway, while both versions serve:
// expand, run both, contract (docs/decisions/043).

/** The step from one schema to the next. */
export interface Migration {
  /**
   * SQL that an older Jetway does not notice: tables, columns that are nullable and outside the row's sum,
   * indices. Run by the first server of the new version, or by `store migrate`.
   */
  readonly expand: readonly string[];
  /** SQL that takes away what only older versions need. Run by `store migrate --contract`. */
  readonly contract: readonly string[];
}

/**
 * Schema 2: clients are found by the digests of their secrets. Sums are made here (`rowSum`). Clients that
 * an older Jetway adds or changes meanwhile have no such keys, or former ones, until the tables are
 * contracted.
 */
const secretLookUps: readonly string[] = [
  `CREATE FUNCTION row_sum(covered text[]) RETURNS bigint LANGUAGE plpgsql AS $sum$
    DECLARE
      bytes bytea := '';
      value text;
      crc bigint := 4294967295;
    BEGIN
      FOREACH value IN ARRAY covered LOOP
        bytes := bytes || convert_to(value, 'UTF8') || decode('00', 'hex');
      END LOOP;
      FOR at IN 0 .. length(bytes) - 1 LOOP
        crc := crc # get_byte(bytes, at);
        FOR bit IN 1 .. 8 LOOP
          crc := CASE WHEN crc & 1 = 1 THEN (crc >> 1) # 3988292384 ELSE crc >> 1 END;
        END LOOP;
      END LOOP;
      crc := crc # 4294967295;
      RETURN CASE WHEN crc > 2147483647 THEN crc - 4294967296 ELSE crc END;
    END $sum$`,
  `DELETE FROM look_up WHERE kind = 'client' AND name = 'secret'`,
  `INSERT INTO look_up (kind, programme, name, key, id, sum)
    SELECT kind, programme, 'secret', digest, id,
      row_sum(ARRAY[kind, programme, 'secret', digest, id])
    FROM (
      SELECT DISTINCT kind, programme, id, secret ->> 'digest' AS digest FROM registered,
        json_array_elements(record::json -> 'secrets') AS secret WHERE kind = 'client'
    ) AS found`,
  'DROP FUNCTION row_sum(text[])',
];

/** From schema 1 on; the last one leads to the tables of this Jetway. */
export const migrations: readonly Migration[] = [
  {
    expand: [
      'ALTER TABLE code ADD COLUMN details text COLLATE "C"',
      'ALTER TABLE login ADD COLUMN details text COLLATE "C"',
      `CREATE TABLE kept_text (
        programme text COLLATE "C" NOT NULL,
        use text COLLATE "C" NOT NULL,
        key text COLLATE "C" NOT NULL,
        kept text COLLATE "C" NOT NULL,
        mark text COLLATE "C" NOT NULL,
        ends_at bigint NOT NULL,
        sum bigint NOT NULL,
        PRIMARY KEY (programme, use, key)
      )`,
      ...secretLookUps,
    ],
    contract: secretLookUps,
  },
];

/** The schema of this Jetway. */
export const schemaVersion: number = 1 + migrations.length;
