// Owns what the verbs that add one item start from: its fields by options, and its programme.

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
 * Reads the options of `add`; ends the command as wrong usage with all that is wrong.
 * @param others inputs beside the fields
 * @param faults what is wrong with fields together
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
