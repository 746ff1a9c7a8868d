// Owns the faults of programmes that do not go together: two of them answering on one path.

import type { ProgrammeFile } from '../config/programme_files.ts';
import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault, type Position } from '../lib/fault.ts';
import { compileProgramme } from '../programme/compile.ts';
import { deploy } from '../programme/deployment.ts';

/** Not in any answer: paths are what is compared, and they do not depend on it. */
const anyPublicUrl = 'https://localhost';

/** A fault at the base path of each of two programmes that claim one path (C-2). */
export function mountFaults(files: readonly ProgrammeFile[]): readonly Fault[] {
  const places = new Map(
    files
      .flatMap(({ loaded }) => loaded ?? [])
      .map(({ id, definition, document }) => [
        compileProgramme(id, definition, anyPublicUrl),
        positionAt(document, ['base_path']),
      ]),
  );
  const { conflicts } = deploy([...places.keys()]);
  return conflicts.flatMap(({ programme, path, other, message }) => {
    const [at, otherAt] = [places.get(programme), places.get(other)];
    if (at === undefined || otherAt === undefined) return [];
    const fault = faultAt(at, message, otherAt);
    if (conflicts.some((one) => one.programme === other && one.path === path)) return [fault];
    return [fault, faultAt(otherAt, `${programme.id} answers at ${path} as well`, at)];
  });
}

function faultAt(at: Position, message: string, { file, line, column }: Position): Fault {
  return errorAt(at, ['base_path'], message, `see ${file}:${line}:${column}`);
}
