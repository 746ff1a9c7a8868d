// Owns the names of the assets that the executable's program is made of, and of the file that lists them.

/** The bundle, also the file's name in stacks. */
export const programAsset = 'jetway.cjs';

/** V8's code cache of it. */
export const codeCacheAsset = 'jetway.cache';

/** What `--version` prints. */
export const versionAsset = 'version.txt';

/** Node's description of the executable, in the folder of a build. */
export const seaConfigFile = 'sea.json';
