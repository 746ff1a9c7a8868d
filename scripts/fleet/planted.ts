// Owns planting a fault into a node that starts: loaded before the sources, it changes what is read of
// them. `planted.ts?NAME` names the fault.

import { registerHooks } from 'node:module';

import { patchesOf } from './plants.ts';

const planted = patchesOf(new URL(import.meta.url).search.slice(1)) ?? [];

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    const here = planted.filter(({ file }) => url.endsWith(`/${file}`));
    if (here.length === 0) return loaded;
    const source = here.reduce(
      (text, { file, from, to }) => {
        if (!text.includes(from)) throw new Error(`${file} has changed: it has no "${from}"`);
        return text.replace(from, () => to);
      },
      Buffer.from(loaded.source as Uint8Array).toString(),
    );
    return { ...loaded, source };
  },
});
