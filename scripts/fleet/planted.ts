// Owns planting a fault into a node that starts: loaded before the sources, it changes what is read of
// them. `planted.ts?NAME` names the fault.

import { registerHooks } from 'node:module';

import { type Plant, planted } from './plants.ts';

const plant = new URL(import.meta.url).search.slice(1) as Plant;

registerHooks({
  load(url, context, nextLoad) {
    const loaded = nextLoad(url, context);
    if (!url.includes('/src/')) return loaded;
    const text = Buffer.from(loaded.source as Uint8Array).toString();
    return { ...loaded, source: planted(plant, url, text) };
  },
});
