// Owns reading which modules a source text names, without a compiler. Judges nothing.

import { posix } from 'node:path';

export interface SourceFile {
  /** From the root of the checkout, with forward slashes: `src/lib/clock.ts`. */
  readonly path: string;
  readonly text: string;
}

// What must not be taken for code: comments and templates are blanked, quoted strings are kept
// (specifiers are among them) but skipped over, so that a quote in a comment opens nothing. A slash
// opens a regular expression where no value stands before it.
const notCode =
  /\/\*[\s\S]*?\*\/|\/\/[^\n]*|`(?:\\[\s\S]|[^`\\])*`|'(?:\\.|[^'\\\n])*'|"(?:\\.|[^"\\\n])*"|(?<=(?:^|[=(,:[!&|?{};>]|\breturn)\s*)\/(?![*/])(?:\\.|\[(?:\\.|[^\]\\\n])*\]|[^/\\\n[])+\//g;

// Between the keyword and `from` stand names, braces and commas only; so nothing else can match.
const importForms = [
  /\b(?:import|export)\b\s*[\w$*\s{},]*?\bfrom\s*(['"])(?<module>[^'"\n]+)\1/g,
  /\bimport\s*(['"])(?<module>[^'"\n]+)\1/g,
  /\b(?:import|require|getBuiltinModule|import\.meta\.resolve)\s*\(\s*(['"])(?<module>[^'"\n]+)\1/g,
];

// Not a method of that name, and not `import.meta`.
const computedImport = /(?<![.\w$])(?:import|require)\s*\(\s*(?!['"])/;

/** The text with comments, templates and regular expressions blanked, its lines kept. */
export function codeOf(text: string): string {
  return text.replace(notCode, (part) =>
    part.startsWith("'") || part.startsWith('"') ? part : part.replaceAll(/[^\n]/g, ' '),
  );
}

/**
 * Every module a text names, as written: static, re-exported, type-only, dynamic, `import('x').T`,
 * `require()` and `process.getBuiltinModule()`.
 */
export function modulesNamed(text: string): readonly string[] {
  const code = codeOf(text);
  const found = importForms.flatMap((form) => Array.from(code.matchAll(form)));
  return found.flatMap((match) => match.groups?.['module'] ?? []);
}

/** Whether a text imports what only running it would tell. */
export function hasComputedImport(text: string): boolean {
  return computedImport.test(codeOf(text));
}

/** The path from the root that a relative module name means; undefined for packages. */
export function pathNamed(file: SourceFile, module: string): string | undefined {
  if (!module.startsWith('.') && !module.startsWith('/')) return undefined;
  return posix.join(posix.dirname(file.path), module);
}
