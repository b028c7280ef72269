// The commands about the data of people.

import { Option, type Command } from 'commander'
import { eraseCustomerCommand, showCustomerCommand } from './commands.ts'
import type { WhoseCustomer } from './customers.ts'
import { withArgument } from './output.ts'

export function addCustomers(program: Command): void {
  const customers = program.command('customers').description('show what is held about a customer, and erase it')
  const environment = (): Option =>
    new Option('--environment <name>', 'where').choices(['staging', 'production']).makeOptionMandatory()
  customers
    .command('show')
    .description('show what is held about a customer; --json shows all of it, the BVN too')
    .argument('<reference>', 'the customer, as its business calls it')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(environment())
    .option('--json', 'print one JSON document')
    .action(withArgument<WhoseCustomer>(showCustomerCommand))
  customers
    .command('erase')
    .description('forget who a customer was, for ever; the books stay provable')
    .argument('<reference>', 'the customer, as its business calls it')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(environment())
    .requiredOption('--note <text>', 'who asked for it, and where that is written; no personal data (1-500 characters)')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nIt cannot be undone, and can be run again. See docs/runbooks/privacy.md.')
    .action(withArgument<WhoseCustomer & { note: string }>(eraseCustomerCommand))
}
