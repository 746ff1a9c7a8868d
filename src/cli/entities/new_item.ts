// Owns reading the options of verbs that add one item: its fields and its programme.

import type { Config } from '../../config/config.ts';
import type { LoadedProgramme } from '../../programme/language/load.ts';
import type { Programme } from '../../programme/programme.ts';
import { refuseUsage } from '../exit.ts';
import { expectDurableStore } from '../open_store.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import {
  complaintsOf,
  type Fields,
  givenIn,
  type Input,
  newInputsOf,
  readFields,
} from './fields.ts';
import type { Selection } from './kind.ts';

export type NewItem = Selection & { readonly programme: string };

/**
 * Reads the options of `add`; ends the command as wrong usage with all faults.
 * @param others inputs besides the fields
 * @param faults complaints about several fields together
 */
export function readNew<Shape>(
  options: NewItem,
  fields: Fields<Shape>,
  others: readonly Input[] = [],
  faults: (item: Shape) => readonly string[] = () => [],
): {
  readonly config: Config;
  readonly loaded: LoadedProgramme;
  readonly programme: Programme;
  readonly fields: Shape;
} {
  const config = configOf(options);
  const { loaded, programme } = loadCompiled(config, options.programme);
  const given = givenIn(options, [...others, ...newInputsOf(fields)]);
  const item = readFields(fields, given);
  const complaints = complaintsOf(fields, given, programme, others);
  refuseUsage([...complaints.map(({ message }) => message), ...faults(item)]);
  expectDurableStore(config);
  return { config, loaded, programme, fields: item };
}
