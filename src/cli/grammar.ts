// Owns the options that verbs share.

import type { Command } from 'commander';

/** A verb that reads the configuration. */
export function configured(verb: Command): Command {
  return verb.option('--config <file>', 'configuration file', './config.yaml');
}

/** A verb that reads the configuration and prints data. */
export function reporting(verb: Command): Command {
  return configured(verb).option('--json', 'print it as JSON');
}
