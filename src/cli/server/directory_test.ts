// Owns the verb `member directory-test`: tests a member directory's hook against the contract.

import { join } from 'node:path';

import { withCredentials } from '../../config/directory_credentials.ts';
import { readProgrammeFile } from '../../config/programme_files.ts';
import { systemClock } from '../../lib/clock.ts';
import { FaultsError } from '../../lib/fault.ts';
import {
  checkDirectory,
  type CheckResult,
  type DirectoryUnderTest,
} from '../../members/directory_checks.ts';
import { CommandError, exitCodes, refuseUsage } from '../exit.ts';
import { type OutputOptions, print, printJson } from '../output.ts';
import { configOf, loadCompiled } from '../programmes.ts';
import { readLine } from '../standard_input.ts';

export interface DirectoryTestOptions extends OutputOptions {
  readonly config: string;
  readonly programme: string;
  readonly username?: string;
  readonly passwordStdin?: boolean;
}

/** Ends with exit code 1 if any check failed. */
export async function testDirectory(options: DirectoryTestOptions): Promise<void> {
  refuseUsage(
    (options.username === undefined) === (options.passwordStdin === undefined)
      ? []
      : ['--username and --password-stdin go together'],
  );
  const test = directoryOf(options);
  const { username } = options;
  const member =
    username === undefined ? {} : { member: { username, password: await readLine('password') } };
  const checks = await checkDirectory({ ...test, ...member });
  const failed = checks.filter(({ passed }) => !passed).length;
  if (options.json === true) {
    const { programme, url } = test;
    await printJson({ programme, url, passed: failed === 0, checks: checks.map(viewCheck) });
  } else {
    const summary = `${checks.length - failed} of ${checks.length} checks passed`;
    await print([...checks.map(lineOf), summary].join('\n'));
  }
  // The faults are printed already.
  if (failed > 0) throw new CommandError(exitCodes.failed, '');
}

/** The programme's directory with its credentials; throws `FaultsError` if they cannot be used. */
function directoryOf(options: DirectoryTestOptions): DirectoryUnderTest {
  const config = configOf(options);
  const { id, members, scope, isClientSubject } = loadCompiled(config, options.programme).programme;
  if (members.directory === 'store') {
    throw new CommandError(
      exitCodes.usage,
      `${id} keeps its members in Jetway's own store: there is no hook to test`,
    );
  }
  const { credentials, faults } = withCredentials(
    readProgrammeFile(join(config.programmes, `${id}.yaml`)),
  );
  if (credentials === undefined) {
    throw new FaultsError(faults.filter(({ severity }) => severity === 'error'));
  }
  const { levels } = scope;
  const clock = systemClock();
  return {
    programme: id,
    url: members.url,
    credentials,
    levels,
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
