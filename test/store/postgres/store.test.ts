// Owns running the Store contract against a real PostgreSQL.

import { describeStoreContract } from '../contract.ts';
import { describeDamage } from '../contract_damage.ts';
import { openScratchPostgres } from './scratch.ts';

describeStoreContract('postgres', openScratchPostgres);
describeDamage('postgres', openScratchPostgres);
