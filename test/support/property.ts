// Owns the seed of property tests: a run tries what the run before it tried, so that it fails for what
// has changed. Campaigns look elsewhere.

import fc from 'fast-check';

/** Of every property of a run; PROPERTY_SEED names another. */
const seed = Number(process.env['PROPERTY_SEED'] ?? 1);

fc.configureGlobal({ seed });

export { fc };
