// Owns a process whose threads die as soon as they have begun; loaded before what it runs.

import type { Worker } from 'node:worker_threads';

process.on('worker', (worker: Worker) => void worker.terminate());
