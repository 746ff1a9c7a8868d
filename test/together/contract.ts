// Runs a group of tests in one process.

import { importGroup } from '../support/together.ts';

await importGroup('contract');
