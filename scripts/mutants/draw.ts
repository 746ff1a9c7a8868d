// Owns the draw of mutants: every place of `src` where a small change could break a promise, and a choice
// among them by a seed. A change that the compiler finds is none: `npm test` would not begin.

import { hash } from 'node:crypto';
import { globSync, readFileSync } from 'node:fs';
import { dirname, join } from 'node:path';

import * as ast from 'typescript/unstable/ast';
import { API, type Project } from 'typescript/unstable/sync';

/** A change of code, named so that it can be planted after the code has moved. */
export interface Change {
  readonly file: string;
  /** The functions and classes around it, outermost first. */
  readonly function: string;
  readonly kind: string;
  /** Whole lines; they stand once in the file. */
  readonly before: string;
  readonly after: string;
}

interface Site {
  readonly kind: string;
  readonly start: number;
  readonly end: number;
  readonly text: string;
}

const otherOperators: Readonly<Record<string, readonly [kind: string, operator: string]>> = {
  '<': ['boundary', '<='],
  '<=': ['boundary', '<'],
  '>': ['boundary', '>='],
  '>=': ['boundary', '>'],
  '===': ['equality', '!=='],
  '!==': ['equality', '==='],
  '&&': ['and, or', '||'],
  '||': ['and, or', '&&'],
  '-': ['arithmetic', '+'],
  '*': ['arithmetic', '/'],
};

/** Which changes can be made at a node itself. */
function* sitesAt(node: ast.Node): Generator<Site> {
  const site = (kind: string, text: string, at: ast.Node = node): Site => ({
    kind,
    start: at.getStart(),
    end: at.getEnd(),
    text,
  });
  const nothing = ast.isSourceFile(node) || ast.isBlock(node.parent) ? '' : ';';
  if (ast.isBinaryExpression(node)) {
    const operator = node.operatorToken.getText();
    const other = otherOperators[operator];
    if (other !== undefined) yield site(other[0], other[1], node.operatorToken);
    if (operator === '??') yield site('default dropped', node.left.getText());
  } else if (ast.isConditionalExpression(node)) {
    yield site('condition negated', `!(${node.condition.getText()})`, node.condition);
  } else if (ast.isIfStatement(node)) {
    yield site('condition negated', `!(${node.expression.getText()})`, node.expression);
    const { thenStatement: then, elseStatement } = node;
    const first = ast.isBlock(then) ? then.statements[0] : then;
    if (elseStatement === undefined && first !== undefined && leaves(first))
      yield site('guard removed', nothing);
  } else if (ast.isThrowStatement(node)) {
    yield site('throw removed', nothing);
  } else if (ast.isExpressionStatement(node)) {
    yield site('statement removed', nothing);
    if (ast.isAwaitExpression(node.expression))
      yield site('not awaited', `void ${node.expression.expression.getText()};`);
  } else if (ast.isNumericLiteral(node)) {
    yield site('number', String(Number(node.text) + 1));
  } else if (ast.isStringLiteral(node) && /^\S*$/.test(node.text)) {
    yield site('string', `'${node.text === '' ? 'x' : ''}'`);
  } else if (/^(?:true|false)$/.test(node.getText())) {
    yield site('boolean', node.getText() === 'true' ? 'false' : 'true');
  } else if (ast.isCallExpression(node)) {
    const [first, second] = node.arguments;
    if (first === undefined || second === undefined) return;
    if (first.getText() === second.getText()) return;
    const between = first.getSourceFile().text.slice(first.getEnd(), second.getStart());
    const text = `${second.getText()}${between}${first.getText()}`;
    yield { ...site('arguments swapped', text, first), end: second.getEnd() };
  }
}

const leaves = (node: ast.Node): boolean =>
  ast.isReturnStatement(node) || ast.isThrowStatement(node) || ast.isContinueStatement(node);

/** Neither types nor names of modules run. */
const isOut = (node: ast.Node): boolean =>
  ast.isTypeNode(node) ||
  ast.isInterfaceDeclaration(node) ||
  ast.isTypeAliasDeclaration(node) ||
  ast.isImportDeclaration(node) ||
  ast.isExportDeclaration(node);

/** The name that a node gives to the code in it. */
function nameOf(node: ast.Node): string | undefined {
  if (ast.isConstructorDeclaration(node)) return 'constructor';
  if (ast.isVariableDeclaration(node) || ast.isPropertyAssignment(node)) {
    const isTop = ast.isVariableDeclaration(node) && ast.isSourceFile(node.parent.parent.parent);
    const value = node.initializer;
    const isCode =
      value !== undefined && (ast.isArrowFunction(value) || ast.isFunctionExpression(value));
    return isTop || isCode ? node.name.getText() : undefined;
  }
  const isNamed =
    ast.isFunctionDeclaration(node) ||
    ast.isMethodDeclaration(node) ||
    ast.isClassDeclaration(node) ||
    ast.isGetAccessorDeclaration(node) ||
    ast.isPropertyDeclaration(node);
  return isNamed ? node.name?.getText() : undefined;
}

/** The change as whole lines, with as many before them as let them stand once; undefined if too many. */
function changeOf(
  file: string,
  text: string,
  names: readonly string[],
  site: Site,
): Change | undefined {
  const end = `${text}\n`.indexOf('\n', site.end);
  let start = text.lastIndexOf('\n', site.start - 1) + 1;
  for (;;) {
    const before = text.slice(start, end).trim();
    if (before.split('\n').length > 10) return undefined;
    const from = start + text.slice(start).search(/\S/);
    const after = `${text.slice(from, site.start)}${site.text}${text.slice(site.end, end)}`.trim();
    const change = { file, function: names.join('.'), kind: site.kind, before, after };
    if (text.split(before).length === 2) return change;
    start = text.lastIndexOf('\n', start - 2) + 1;
  }
}

function changesIn(project: Project, file: string, path: string): Change[] {
  const source = project.program.getSourceFile(path);
  if (source === undefined) throw new Error(`${file} is no source of tsconfig.json`);
  const changes: Change[] = [];
  const visit = (node: ast.Node, names: readonly string[]): void => {
    if (isOut(node)) return;
    const name = nameOf(node);
    const within = name === undefined ? names : [...names, name];
    for (const site of sitesAt(node)) {
      const change = changeOf(file, source.text, within, site);
      if (change !== undefined) changes.push(change);
    }
    node.forEachChild((child) => visit(child, within));
  };
  visit(source, []);
  return changes;
}

/** Where a file counts: its folder, of which two levels where the house has them as rooms of their own. */
function roomOf(file: string): string {
  const [, floor = '', room] = dirname(file).split('/');
  return room !== undefined && /^(?:cli|programme|store)$/.test(floor) ? `${floor}/${room}` : floor;
}

/** How many of each room: one, and the rest in proportion to lines (Sainte-Laguë). */
function sharesOf(lines: ReadonlyMap<string, number>, count: number): Map<string, number> {
  const shares = new Map([...lines].map(([room]) => [room, 1]));
  const need = (room: string): number => (lines.get(room) ?? 0) / ((shares.get(room) ?? 0) + 0.5);
  for (let given = shares.size; given < count; given += 1) {
    const [next = ''] = [...lines.keys()].toSorted((a, b) => need(b) - need(a));
    shares.set(next, (shares.get(next) ?? 0) + 1);
  }
  return shares;
}

/** Compiles a change without writing it. */
function compilerOf(root: string): { project: Project; takes: (change: Change) => boolean } {
  const changed = new Map<string, string>();
  const api = new API({ cwd: root, fs: { readFile: (name) => changed.get(name) } });
  const projectNow = (files: readonly string[]): Project => {
    const openProjects = [join(root, 'tsconfig.json')];
    const [project] = api
      .updateSnapshot({ openProjects, fileChanges: { changed: [...files] } })
      .getProjects();
    if (project === undefined) throw new Error('tsconfig.json names no project');
    return project;
  };
  const takes = (change: Change): boolean => {
    const path = join(root, change.file);
    changed.set(path, planted(readFileSync(path, 'utf8'), change));
    const { program } = projectNow([path]);
    const faults = [
      ...program.getSyntacticDiagnostics(path),
      ...program.getSemanticDiagnostics(path),
    ];
    changed.delete(path);
    projectNow([path]);
    return faults.length === 0;
  };
  return { project: projectNow([]), takes };
}

/** The text of a file with the change; throws where its lines are not found once. */
export function planted(text: string, { file, before, after }: Change): string {
  const parts = text.split(before);
  if (parts.length !== 2) throw new Error(`${file}: found ${parts.length - 1} times: ${before}`);
  return parts.join(after);
}

export function draw(root: string, count: number, seed: number): Change[] {
  const files = globSync('src/*/**/*.ts', { cwd: root }).toSorted();
  const { project, takes } = compilerOf(root);
  const byRoom = Map.groupBy(files, roomOf);
  const lines = new Map(
    [...byRoom].map(([room, paths]) => {
      const text = paths.map((path) => readFileSync(join(root, path), 'utf8')).join('');
      return [room, text.split('\n').length];
    }),
  );
  // By a digest and not by their number: the other places stay drawn when one place is gone.
  const rank = (...parts: readonly string[]): string =>
    hash('sha256', [seed, ...parts].join('\n'), 'hex');
  const shuffled = <One>(all: Iterable<One>, partsOf: (one: One) => readonly string[]): One[] =>
    Array.from(all, (one) => [rank(...partsOf(one)), one] as const)
      .toSorted(([a], [b]) => a.localeCompare(b))
      .map(([, one]) => one);
  return [...sharesOf(lines, count)].flatMap(([room, share]) => {
    const changes = (byRoom.get(room) ?? []).flatMap((file) =>
      changesIn(project, file, join(root, file)),
    );
    const byKind = Map.groupBy(changes, ({ kind }) => kind);
    const kinds = shuffled(byKind, ([kind]) => [room, kind]).map(([, all]) =>
      shuffled(all, (one) => [one.file, one.function, one.before, one.after]),
    );
    const drawn: Change[] = [];
    for (let turn = 0; drawn.length < share; turn += 1) {
      const ofKind = kinds[turn % kinds.length] ?? [];
      const found = ofKind.find(
        (change) => !drawn.some((other) => other.function === change.function) && takes(change),
      );
      if (found !== undefined) drawn.push(found);
      if (turn > 50) throw new Error(`${room} has no ${share} places to change`);
    }
    return drawn;
  });
}
