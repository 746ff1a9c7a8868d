// Owns moving the time of a server: loaded before it, told by its environment and by messages.

import { moveTime, type OwnTime } from './shifted_time.ts';

moveTime(JSON.parse(process.env['JETWAY_TEST_TIME'] ?? '{}') as OwnTime);
process.on('message', (time: OwnTime) => {
  // A worker hears its own server, too.
  if (time.passed === undefined && time.slept === undefined && time.ahead === undefined) return;
  moveTime(time);
  process.send?.('moved');
});
// Whoever listens for messages would live for as long as they may come.
process.channel?.unref();
