// Owns the faults that the fleet campaign has to find when they are planted, and the command of a node
// with one of them.

import { jetwayCommand } from '../load/server.ts';

export type Plant = 'asynchronous' | 'own-marker' | 'cancel' | 'read-only' | 'throttle';

/** A piece of a source file, which stands in it once, and what stands there with the fault. */
interface Patch {
  readonly file: string;
  readonly from: string;
  readonly to: string;
}

/** `asynchronous` is a setting of the databases alone. */
export const patches: Readonly<Record<Plant, readonly Patch[]>> = {
  asynchronous: [],
  // A node does not recognise its own answer in the row.
  'own-marker': [
    {
      file: 'src/store/verbs/logins.ts',
      from: 'login.state IN (:before, :again)',
      to: 'login.state = :before',
    },
    {
      file: 'src/store/postgres/driver.ts',
      from: 'wasUnknown ? undefined : false',
      to: 'false',
    },
  ],
  // Instead of ending the connection at the deadline it asks the server to stop waiting.
  cancel: [
    {
      file: 'src/store/postgres/link/connection.ts',
      from: '() => this.#lose(new Error(`no answer within ${span} ms`))',
      to: `() => {
        const { processID, secretKey, connectionParameters: to } = this.#client as never as {
          processID: number; secretKey: number; connectionParameters: { host: string; port: number } };
        const told = Buffer.alloc(16);
        [16, 80877102, processID, secretKey].forEach((n, at) => void told.writeInt32BE(n, at * 4));
        const socket = new Socket();
        socket.on('error', () => undefined);
        socket.connect(to.port, to.host, () => socket.end(told));
      }`,
    },
    {
      file: 'src/store/postgres/link/connection.ts',
      from: '#isDoubtful = true',
      to: '#isDoubtful = false',
    },
  ],
  // A node believes what it reads, on a server that was restarted and after an outcome was not known.
  'read-only': [
    {
      file: 'src/store/postgres/link/primary.ts',
      from: 'await connection.run(settle, [this.#lock], settleSpan);',
      to: '',
    },
    {
      file: 'src/store/verbs/logins.ts',
      from: 'db.writer(advance)',
      to: `db.writer(advance, statement('read_move', columns,
        'SELECT 1 FROM login WHERE place = :place AND programme = :programme AND login.state = :state'))`,
    },
  ],
  // Each node counts for itself.
  throttle: [
    {
      file: 'src/store/postgres/store.ts',
      from: 'count: countTogether(link)',
      to: "count: (await import('../windows.ts')).countInProcess()",
    },
  ],
};

export const plants = Object.keys(patches) as readonly Plant[];

/** Where each shows: what has to happen to the fleet. */
export const shownBy: Readonly<Record<Plant, string>> = {
  asynchronous: 'primary killed',
  'own-marker': 'primary killed',
  cancel: 'standby silent, primary killed',
  'read-only': 'primary restarted, then killed',
  throttle: 'node killed',
};

/** The text of a source file with a fault, if the fault has to do with that file. */
export function planted(plant: Plant, path: string, text: string): string {
  const here = patches[plant].filter(({ file }) => path.endsWith(`/${file}`));
  return here.reduce((before, { file, from, to }) => {
    const parts = before.split(from);
    if (parts.length !== 2) throw new Error(`${file} has ${parts.length - 1} times "${from}"`);
    return parts.join(to);
  }, text);
}

/** How a node is started: the sources, with a fault or without, or a built executable. */
export function nodeCommand(
  executable: string | undefined,
  plant: Plant | undefined,
): readonly string[] {
  const [program = '', ...args] = jetwayCommand(executable);
  if (plant === undefined || executable !== undefined) return [program, ...args];
  return [program, '--import', new URL(`./planted.ts?${plant}`, import.meta.url).href, ...args];
}
