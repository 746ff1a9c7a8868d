// Owns the verb `store migrate`.

import { wrongUsage } from '../exit.ts';
import { auditCommand, expectDurableStore } from '../open_store.ts';
import { printResult, type VerbOptions } from '../output.ts';
import { configOf } from '../programmes.ts';

export interface MigrateStoreOptions extends VerbOptions {
  readonly contract?: boolean;
}

export async function migrate(options: MigrateStoreOptions): Promise<void> {
  const config = configOf(options);
  const { migrate: migrating } = expectDurableStore(config);
  if (migrating === undefined) {
    throw wrongUsage('store migrate is for a PostgreSQL store: one file has one Jetway at a time');
  }
  auditCommand(config);
  const { contract = false } = options;
  const { environment } = config;
  const { from, schema, oldestReader } = await migrating({ environment, contract });
  const done =
    from === schema
      ? `The store has schema ${schema} already.`
      : `The store has schema ${schema} now, before ${from}.`;
  const readers =
    oldestReader === schema
      ? 'No older Jetway opens it.'
      : `Jetways that know schema ${oldestReader} go on with it: once none runs, jetway store migrate --contract.`;
  return printResult(options, { from, schema, oldest_reader: oldestReader }, `${done} ${readers}`);
}
