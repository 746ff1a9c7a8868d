// Owns moving the time of a server that runs in a process of its own: loaded before it, told by messages.

let jump = 0;
let shift = Number(process.env['JETWAY_TEST_SHIFT'] ?? 0);
const wall = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);

/** Both move together when time has passed; the wall clock moves alone when somebody has set it. */
Date.now = (): number => wall() + shift + jump;
performance.now = (): number => monotonic() + shift;

process.on('message', ({ pass = 0, set = 0 }: { pass?: number; set?: number }) => {
  shift += pass * 1000;
  jump += set * 1000;
  process.send?.('moved');
});
// Whoever listens for messages would live for as long as they may come.
process.channel?.unref();
