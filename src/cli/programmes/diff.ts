// Owns the verb `diff`: two programme files, compared by what is seen of them on the wire.

import { readProgrammeFile } from '../../config/programme_files.ts';
import { contractChanges, formatChanges } from '../../contract/diff/changes.ts';
import { FaultsError } from '../../lib/fault.ts';
import { compileLoaded } from '../../rules/load.ts';
import { failed } from '../../server/exit.ts';
import type { Given } from '../grammar/options.ts';
import type { diffOptions } from '../grammar/rows.ts';
import { printResult } from '../output.ts';

/** Stands for the configured address, which is the same before and after. */
const publicUrl = 'https://jetway.example';

export async function diff(
  old: string,
  changed: string,
  options: Given<typeof diffOptions>,
): Promise<void> {
  const files = [old, changed].map(readProgrammeFile);
  const [before, after] = files.map(({ loaded }) => loaded);
  if (before === undefined || after === undefined) {
    const faults = files.flatMap((file) => (file.loaded === undefined ? file.faults : []));
    throw new FaultsError(faults);
  }
  const [was, is] = [before, after].map((one) =>
    compileLoaded({ ...one, id: after.id }, publicUrl),
  );
  const changes = contractChanges(was, is);
  await printResult(options, changes, formatChanges(changes));
  if (options.exitCode === true && changes.length > 0) {
    throw failed('');
  }
}
