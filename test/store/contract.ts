// Owns the suite that every backend runs; each part is one kind of record.

import { describe } from 'node:test';

import type { Store } from '../../src/store/contract.ts';
import { accessTokenTests } from './contract_access_tokens.ts';
import { codeTests } from './contract_codes.ts';
import { familyTests } from './contract_families.ts';
import { refreshTokenTests } from './contract_refresh_tokens.ts';
import { clientTests, memberTests } from './contract_registrations.ts';
import { signingKeyTests, throttleTests } from './contract_rest.ts';
import { sweepTests } from './contract_sweep.ts';

/** A store under test, empty at first. */
export interface OpenStore {
  readonly store: Store;
  /** Another store on the same records, as another process has; absent where there can be none. */
  readonly another?: () => Promise<Store>;
  /** Closes the store and opens its records again; absent where they end with it. */
  readonly reopen?: () => Promise<Store>;
  /** Closes everything that was opened and removes it. */
  readonly close: () => Promise<void>;
}

export type Open = () => Promise<OpenStore>;

/** The Store contract, for the backend that `open` makes. */
export function describeStoreContract(name: string, open: Open): void {
  describe(`store contract: ${name}`, () => {
    clientTests(open);
    memberTests(open);
    codeTests(open);
    refreshTokenTests(open);
    familyTests(open);
    accessTokenTests(open);
    signingKeyTests(open);
    throttleTests(open);
    sweepTests(open);
  });
}
