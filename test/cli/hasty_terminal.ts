// Owns a command's belief that people watch it and that every step takes long: loaded before it.

const monotonic = performance.now.bind(performance);
let looks = 0;

process.stderr.isTTY = true;
performance.now = (): number => {
  looks += 1;
  return monotonic() + looks * 5000;
};
