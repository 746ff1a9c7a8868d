// Owns the faults of programmes that do not go together: two of them answering on one path, or called
// the same.

import type { ProgrammeFile } from '../../config/programme_files.ts';
import { positionAt } from '../../lib/document.ts';
import { errorAt, type Fault, type Position, quote } from '../../lib/fault.ts';
import { compileProgramme } from '../../programme/compile.ts';
import { deploy } from '../../programme/deployment.ts';

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

/**
 * A warning at each programme that is called what one before it is: partners, who send the identifier,
 * and operators, who read the name, could not tell them apart (P-1).
 */
export function twinFaults(files: readonly ProgrammeFile[]): readonly Fault[] {
  const loaded = files.flatMap((file) => file.loaded ?? []);
  return (['programme_identifier', 'name'] as const).flatMap((key) => {
    const first = new Map<string, Position>();
    return loaded.flatMap(({ definition, document }): Fault[] => {
      const at = positionAt(document, [key]);
      const other = first.get(definition[key]);
      if (other === undefined) {
        first.set(definition[key], at);
        return [];
      }
      const { file, line, column } = other;
      const message = `another programme has the ${key} ${quote(definition[key])} already`;
      return [
        { severity: 'warning', at, path: key, message, hint: `see ${file}:${line}:${column}` },
      ];
    });
  });
}

function faultAt(at: Position, message: string, { file, line, column }: Position): Fault {
  return errorAt(at, ['base_path'], message, `see ${file}:${line}:${column}`);
}
