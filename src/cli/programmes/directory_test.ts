// Owns the verb `member directory-test`: tests a member directory's hook against the contract.

import { withCredentials } from '../../config/directory_credentials.ts';
import { systemClock } from '../../lib/clock.ts';
import { FaultsError } from '../../lib/fault.ts';
import {
  checkDirectory,
  type CheckResult,
  type DirectoryUnderTest,
} from '../../members/directory_checks.ts';
import { failed, wrongUsage } from '../../server/exit.ts';
import type { GivenWithConfig } from '../grammar/options.ts';
import type { directoryTestOptions } from '../grammar/rows.ts';
import { printResult } from '../output.ts';
import { configOf, fileOf, compileNamed } from '../programmes.ts';
import { readLine } from '../standard_input.ts';

type DirectoryTestOptions = GivenWithConfig<typeof directoryTestOptions>;

/** Ends with exit code 1 if any check failed. */
export async function testDirectory(options: DirectoryTestOptions): Promise<void> {
  const test = directoryOf(options);
  const { username } = options;
  const member =
    username === undefined ? {} : { member: { username, password: await readLine('password') } };
  const checks = await checkDirectory({ ...test, ...member });
  const missed = checks.filter(({ passed }) => !passed).length;
  const { programme, url } = test;
  const summary = `${checks.length - missed} of ${checks.length} checks passed`;
  await printResult(
    options,
    { programme, url, passed: missed === 0, checks: checks.map(viewCheck) },
    [...checks.map(lineOf), summary].join('\n'),
  );
  // The faults are printed already.
  if (missed > 0) throw failed('');
}

/** The programme's directory with its credentials; throws `FaultsError` if they cannot be used. */
function directoryOf(options: DirectoryTestOptions): DirectoryUnderTest {
  const config = configOf(options);
  const { id, members, scope, isClientSubject } = compileNamed(config, options.programme);
  if (members.directory === 'store') {
    throw wrongUsage(`${id} keeps its members in Jetway's own store: there is no hook to test`);
  }
  const { credentials, faults } = withCredentials(fileOf(config, id));
  if (credentials === undefined) {
    throw new FaultsError(faults.filter(({ severity }) => severity === 'error'));
  }
  const clock = systemClock();
  return {
    programme: id,
    url: members.url,
    credentials,
    levels: scope.levels,
    now: () => clock.now(),
    isForeignSubject: isClientSubject,
  };
}

function lineOf({ name, passed, detail, milliseconds }: CheckResult): string {
  const told = detail === undefined ? '' : `: ${detail}`;
  return `${passed ? 'pass' : 'FAIL'}  ${name}${told} (${milliseconds} ms)`;
}

/** A missing detail is null, so that all checks have the same keys. */
function viewCheck({ name, passed, detail, milliseconds }: CheckResult): object {
  return { name, passed, detail: detail ?? null, milliseconds };
}
