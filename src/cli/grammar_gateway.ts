// Owns the command line's grammar of gateways: `gateway` and the verbs below it.

import type { Command } from 'commander';

import { addGateway } from './gateway_add.ts';
import { listGateways, removeGateway, rotateGatewaySecret, showGateway } from './gateway_verbs.ts';
import { reporting } from './grammar.ts';

/** Adds `gateway` to the program. */
export function addGatewayVerbs(program: Command): void {
  const gateway = program.command('gateway').description('let gateways ask about tokens');
  reporting(gateway.command('add'))
    .summary('give a gateway a credential to introspect with')
    .description('give a gateway a credential to introspect with; prints its secret, once')
    .requiredOption('--programme <name>', 'programme whose tokens it may ask about')
    .requiredOption('--name <name>', 'what operators call it')
    .action(addGateway);
  reporting(gateway.command('list'))
    .description('list gateways')
    .option('--programme <name>', 'only those of this programme')
    .action(listGateways);
  one(gateway.command('show'), 'show a gateway').action(showGateway);
  one(gateway.command('rotate-secret'), 'give a gateway a new secret; prints it, once')
    .option('--overlap <duration>', 'how long the old one is good yet; 0s ends it at once', '1d')
    .action(rotateGatewaySecret);
  one(gateway.command('remove'), 'remove a gateway for good')
    .option('--yes', 'do it')
    .action(removeGateway);
}

function one(command: Command, description: string): Command {
  return reporting(command)
    .description(description)
    .argument('<gateway-id>', 'its identifier')
    .option('--programme <name>', 'its programme, where several have one of that identifier');
}
