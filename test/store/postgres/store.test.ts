// Owns running the Store contract against a real PostgreSQL.

import { describeStoreContract } from '../contract.ts';
import { openScratchPostgres } from './scratch.ts';

describeStoreContract('postgres', openScratchPostgres);
