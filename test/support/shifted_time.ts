// Owns moving the time of a server that runs in a process of its own: loaded before it, told by messages.

let shift = Number(process.env['JETWAY_TEST_SHIFT'] ?? 0);
const wall = Date.now.bind(Date);
const monotonic = performance.now.bind(performance);

/** Both move together: time has passed, and nobody has set a clock. */
Date.now = (): number => wall() + shift;
performance.now = (): number => monotonic() + shift;

process.on('message', (seconds: number) => {
  shift += seconds * 1000;
  process.send?.('moved');
});
// Whoever listens for messages would live for as long as they may come.
process.channel?.unref();
