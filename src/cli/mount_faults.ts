// Owns the faults of programmes that do not go together: two of them answering on one path.

import type { ProgrammeFile } from '../config/programme_files.ts';
import { positionAt } from '../lib/document.ts';
import { errorAt, type Fault, type Position } from '../lib/fault.ts';
import { compileProgramme } from '../programme/compile.ts';
import { deploy } from '../programme/deployment.ts';
import type { LoadedProgramme } from '../programme/load.ts';

/** Not in any answer: paths are what is compared, and they do not depend on it. */
const anyPublicUrl = 'https://localhost';

/** A fault at the base path of each of two programmes that claim one path (C-2). */
export function mountFaults(files: readonly ProgrammeFile[]): readonly Fault[] {
  const sources = new Map(
    files
      .flatMap(({ loaded }) => loaded ?? [])
      .map((loaded) => [compileProgramme(loaded.id, loaded.definition, anyPublicUrl), loaded]),
  );
  return deploy([...sources.keys()]).conflicts.flatMap(({ programme, path, other }) => {
    const [later, earlier] = [sources.get(programme), sources.get(other)];
    return later === undefined || earlier === undefined ? [] : bothFaults(path, later, earlier);
  });
}

function bothFaults(
  path: string,
  later: LoadedProgramme,
  earlier: LoadedProgramme,
): readonly Fault[] {
  const [at, otherAt] = [basePathOf(later), basePathOf(earlier)];
  return [
    errorAt(
      at,
      ['base_path'],
      `${path} is a path of ${earlier.id} already, at ${placeOf(otherAt)}`,
      'it is not served until one of them has another base_path',
    ),
    errorAt(
      otherAt,
      ['base_path'],
      `${path} is claimed by ${later.id} as well, at ${placeOf(at)}`,
      'this one is served, the other is not',
    ),
  ];
}

function basePathOf({ document }: LoadedProgramme): Position {
  return positionAt(document, ['base_path']);
}

function placeOf({ file, line, column }: Position): string {
  return `${file}:${line}:${column}`;
}
