// Owns the key of the configuration that says where the store is.

import * as v from 'valibot';

import { locationFault } from '../store/open.ts';

export const storeSchema: v.GenericSchema<unknown, string> = v.pipe(
  v.string(),
  v.check(
    (text) => locationFault(text) === undefined,
    ({ input }) => locationFault(input) ?? '',
  ),
);
