// The program with all its commands, their options and help texts. program-money.ts has the commands for reviews,
// corrections, refunds, figures, reconciliation and archives, program-api.ts those for integrators, and this file the
// others.

import { Option, Command, Argument, InvalidArgumentError } from 'commander'
import type { Role } from '#app.ts'
import { scopes } from '#businesses/keyring.ts'
import { version } from '#config.ts'
import { dayMs } from '#platform/durations.ts'
import { currencies } from '#platform/money.ts'
import { openStates, type OpenState } from '#rail-notices/notice.ts'
import { roles } from '#users/user.ts'
import {
  currenciesOf,
  durationMsOf,
  limitAmountOf,
  lifetimeMsOf,
  listLimitOf,
  networksOf,
  overlapHoursOf,
  scopesOf,
} from './arguments.ts'
import type { ListAuditOptions } from './audit.ts'
import type { CurrenciesOptions } from './businesses.ts'
import {
  pausePayoutsCommand,
  resumePayoutsCommand,
  setLimitsCommand,
  showLimitsCommand,
  invitePersonCommand,
  welcomeCommand,
  listPeopleCommand,
  removePersonCommand,
  resetPersonCommand,
  setOperatorCommand,
  eraseCustomerCommand,
  showCustomerCommand,
  balanceRailsCommand,
  createBusinessCommand,
  currenciesCommand,
  createKeyCommand,
  doctorCommand,
  listAuditCommand,
  listBusinessesCommand,
  listKeysCommand,
  listNoticesCommand,
  listRailsCommand,
  listenCommand,
  migrateCommand,
  resealSecretsCommand,
  retryNoticeCommand,
  revokeKeyCommand,
  rollKeyCommand,
  serveCommand,
  cancelPayoutCommand,
  testRailCommand,
  triggerCommand,
  verifyAuditCommand,
  verifyLedgerCommand,
} from './commands.ts'
import type { WhoseCustomer } from './customers.ts'
import { addApiCommands } from './program-api.ts'
import { withOutput, createOutput, withArgument, type Output } from './output.ts'
import type { InviteOptions } from './people.ts'
import { addArchive, addAdjust, addMoneyCommands, addBreakCommands } from './program-money.ts'
import type { TestRailOptions } from './rails.ts'

const environments = ['staging', 'production']
const onlyBusiness = ['--business <id>', 'the business, biz_… (default: the only one)'] as const

function addPayouts(program: Command): void {
  addLimits(program)
  const payouts = program.command('payouts').description('pause and resume payouts')
  for (const [name, description, command] of [
    ['pause', 'accept and send no payouts; payouts that were already sent will complete', pausePayoutsCommand],
    ['resume', 'end the pause that was started with the same options', resumePayoutsCommand],
  ] as const) {
    payouts
      .command(name)
      .description(description)
      .option('--business <id>', 'the business, biz_… (default: all businesses)')
      .addOption(new Option('--environment <name>', 'the environment (default: both)').choices(environments))
      .option('--json', 'print one JSON document')
      .action(withOutput(command))
  }
}

function addLimits(program: Command): void {
  const limits = program
    .command('limits')
    .description('show and set payout limits, in the minor unit of their currency and without fees')
  const currency = (description: string): Option => new Option('--currency <code>', description).choices(currencies)
  const whose = (command: Command, whichCurrency: Option): Command =>
    command
      .option(...onlyBusiness)
      .addOption(new Option('--environment <name>', 'the environment').choices(environments).makeOptionMandatory())
      .addOption(whichCurrency)
      .option('--json', 'print one JSON document')
  whose(limits.command('show'), currency('the currency (default: every currency that is switched on)'))
    .description('show the limits and the amount left today')
    .action(withOutput(showLimitsCommand))
  whose(limits.command('set'), currency('the currency').default('NGN'))
    .description('set one limit or both; payouts accepted today already count')
    .addOption(new Option('--per-payment <amount>', 'maximum amount of one payout, or none').argParser(limitAmountOf))
    .addOption(new Option('--per-day <amount>', 'maximum total per day in Lagos, or none').argParser(limitAmountOf))
    .action(withOutput(setLimitsCommand))
}

const json = ['--json', 'print one JSON document'] as const

function addPeople(program: Command): void {
  const people = program.command('people').description('manage the users of the dashboard')
  people
    .command('list')
    .description('list the users, once for each of their businesses')
    .option('--business <id>', 'only users of this business, biz_…')
    .option(...json)
    .action(withOutput(listPeopleCommand))
  reporting(people, 'welcome', 'create a link for the first user of the dashboard', welcomeCommand)
  people
    .command('invite')
    .description('invite a user to a business; the link is sent by email, or shown once if no mail server is set')
    .option(...onlyBusiness)
    .addOption(new Option('--role <role>', 'the role of the user').choices(roles).makeOptionMandatory())
    .requiredOption('--email <address>', 'the email address of the user')
    .option(...json)
    .action(withOutput<InviteOptions>(invitePersonCommand))
  people
    .command('remove')
    .description('remove a user from a business and end the sessions of that user')
    .argument('<address>', 'the email address or the id, per_…')
    .option(...onlyBusiness)
    .option(...json)
    .action(withArgument<{ business?: string }>(removePersonCommand))
  people
    .command('reset')
    .description('create a link for a new password; it is shown only once')
    .argument('<address>', 'the email address or the id, per_…')
    .option('--business <id>', 'a business of the user, if several accounts share the address, biz_…')
    .option('--second-factor', 'also remove the second factor, if the phone and the recovery codes are lost')
    .option(...json)
    .action(withArgument<{ secondFactor?: boolean; business?: string }>(resetPersonCommand))
  people
    .command('operator')
    .description('allow a user to open the Operations page, or end that')
    .argument('<address>', 'the email address or the id, per_…')
    .addArgument(new Argument('<on-off>', 'on or off').choices(['on', 'off']))
    .option('--business <id>', 'a business of the user, if several accounts share the address, biz_…')
    .option(...json)
    .action((who: string, word: 'on' | 'off', { json: asJson, business }: { json?: boolean; business?: string }) =>
      setOperatorCommand(createOutput(asJson === true), { who, word, ...(business === undefined ? {} : { business }) }),
    )
}

function addCustomers(program: Command): void {
  const customers = program.command('customers').description('show and erase the data of a customer')
  const environment = (): Option =>
    new Option('--environment <name>', 'the environment').choices(['staging', 'production']).makeOptionMandatory()
  customers
    .command('show')
    .description('show the data stored about a customer; --json shows everything, including the BVN')
    .argument('<reference>', 'the reference that the business gave the customer')
    .option(...onlyBusiness)
    .addOption(environment())
    .option('--json', 'print one JSON document')
    .action(withArgument<WhoseCustomer>(showCustomerCommand))
  customers
    .command('erase')
    .description('permanently erase the personal data of a customer; the ledger stays complete')
    .argument('<reference>', 'the reference that the business gave the customer')
    .option(...onlyBusiness)
    .addOption(environment())
    .requiredOption(
      '--note <text>',
      'who requested it and where that is recorded, without personal data (1-500 characters)',
    )
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nThis cannot be undone. It can be run again. See docs/runbooks/privacy.md.')
    .action(withArgument<WhoseCustomer & { note: string }>(eraseCustomerCommand))
}

export function createProgram(): Command {
  const program = new Command('manilla')
    .description(
      'A payments service that you run yourself: naira and mobile money, signed webhooks, a double-entry ledger.',
    )
    .version(version)
    // `reportFailure` prints errors, so commander throws them and prints only help.
    .exitOverride()
    .configureOutput({ outputError: () => undefined })
    .addHelpText(
      'after',
      '\nSettings come from the environment and from .env. None is required to start. See README.md.',
    )

  program
    .command('serve')
    .description('run the API and the worker')
    .addOption(
      new Option('--roles <list>', 'the roles of this process')
        .default(['api', 'worker'], 'api,worker')
        .argParser(rolesOf),
    )
    .option('--migrate', 'migrate the database of DATABASE_URL first (the embedded one is always migrated)', false)
    .action(serveCommand)
  reporting(program, 'migrate', 'migrate the database to this version', migrateCommand)
  reporting(
    program,
    'doctor',
    'check the settings, the database and the service, and say how to fix problems',
    doctorCommand,
  )
  addBusinesses(program)
  addKeys(program)
  addPayouts(program)
  addLedger(program)
  addArchive(program)
  addAudit(program)
  addRails(program)
  addSecrets(program)
  addMoneyCommands(program)
  addCustomers(program)
  addPeople(program)
  addApiCommands(program, { listen: listenCommand, trigger: triggerCommand })
  return program
}

function reporting(parent: Command, name: string, says: string, command: (output: Output) => Promise<void>): void {
  parent.command(name).description(says).option('--json', 'print one JSON document').action(withOutput(command))
}

function addBusinesses(program: Command): void {
  const businesses = program
    .command('businesses')
    .description('create and list businesses, and choose their currencies')
  businesses
    .command('create')
    .description('create a business in staging and production')
    .requiredOption('--name <name>', 'the name (1-100 characters)')
    .option('--json', 'print one JSON document')
    .action(withOutput(createBusinessCommand))
  reporting(businesses, 'list', 'list all businesses', listBusinessesCommand)
  businesses
    .command('currencies')
    .description('show the currencies of a business, and switch them on or off')
    .argument('<business-id>', 'the business, biz_…')
    .addOption(new Option('--environment <name>', 'the environment').choices(environments).makeOptionMandatory())
    .option('--on <list>', 'currencies to switch on, such as GHS,KES', currenciesOf)
    .option('--off <list>', 'currencies to switch off; their balance must be 0, with nothing under way', currenciesOf)
    .option('--json', 'print one JSON document')
    .action(withArgument<CurrenciesOptions>(currenciesCommand))
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, list, roll and revoke API keys')
  keys
    .command('create')
    .description('create a key; it is shown only once')
    .option(...onlyBusiness)
    .addOption(
      new Option('--environment <name>', 'the environment of the key')
        .choices(['staging', 'production'])
        .makeOptionMandatory(),
    )
    .option('--name <name>', 'the name of the key', 'Default')
    .option('--scopes <list>', `what the key may do: ${scopes.join(',')} (default: everything)`, scopesOf)
    .option('--allow <list>', 'allowed IP addresses and networks, such as 203.0.113.0/24 (default: all)', networksOf)
    .option('--expires-in <time>', 'lifetime of the key: 90d, 12h, 30m, 60s (default: unlimited)', lifetimeMsOf)
    .option('--json', 'print one JSON document')
    .action(withOutput(createKeyCommand))
  keys
    .command('list')
    .description("list a business's keys, without the secrets")
    .option(...onlyBusiness)
    .option('--json', 'print one JSON document')
    .action(withOutput(listKeysCommand))
  keys
    .command('revoke')
    .description('revoke a key at once')
    .argument('<key-id>', 'the key, key_…')
    .option('--json', 'print one JSON document')
    .action(withArgument(revokeKeyCommand))
  keys
    .command('roll')
    .description('replace a key; the old one keeps working for a while')
    .argument('<key-id>', 'the key to replace, key_…')
    .option('--overlap-hours <n>', 'hours for which the old key keeps working (0-24)', overlapHoursOf, 24)
    .option('--json', 'print one JSON document')
    .action(withArgument<{ overlapHours: number }>(rollKeyCommand))
}

function addLedger(program: Command): void {
  const ledger = program.command('ledger').description('verify and correct the ledger')
  addAdjust(ledger)
  ledger
    .command('verify')
    .description('verify every invariant from the ledger movements; exits with 1 if one is violated')
    .option('--hurry', 'do not pause between steps; use it if no server uses the database')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ hurry?: boolean }>(verifyLedgerCommand))
}

function addAudit(program: Command): void {
  const audit = program.command('audit').description('list and verify the audit log')
  audit
    .command('list')
    .description('list actions and refused attempts, newest first')
    .option('--business <id>', 'only entries of this business, biz_…')
    .option('--act <name>', 'only this action, such as key.created')
    .addOption(
      new Option('--since <time>', 'only entries of the last 30s, 10m, 2h, 7d')
        .argParser(durationMsOf)
        .default(30 * dayMs, '30d'),
    )
    .option('--limit <n>', 'maximum number of entries (1-10000)', listLimitOf, 100)
    .option('--json', 'print one JSON document')
    .action(withOutput<ListAuditOptions>(listAuditCommand))
  audit
    .command('verify')
    .description('verify that no entry was changed or removed; exits with 1 if one was')
    .option('--noted <hash>', 'a hash that an earlier run printed: also verify that the log still contains it')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ noted?: string }>(verifyAuditCommand))
}

function addSecrets(program: Command): void {
  program
    .command('secrets')
    .description('manage the encryption of stored secrets')
    .command('reseal')
    .description('re-encrypt every stored secret with SECRET_KEY')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nThe service may run meanwhile. The command can be stopped and run again. See docs/runbooks/secret-key.md.',
    )
    .action(withOutput(resealSecretsCommand))
}

function addRails(program: Command): void {
  const rails = program.command('rails').description('check and manage the rails of RAILS_FILE')
  const listed = 'list the rails, their services and whether the key works; moves no money'
  reporting(rails, 'list', listed, listRailsCommand)
  reporting(rails, 'balance', 'print the balance at each provider', balanceRailsCommand)
  addBreakCommands(rails)
  const notices = rails
    .command('notices')
    .description('list provider notifications that are not processed, oldest first')
    .addOption(
      new Option('--state <name>', 'new: still being processed; stuck: needs review')
        .choices([...openStates])
        .default('stuck'),
    )
    .option('--json', 'print one JSON document')
    .action(withOutput<{ state: OpenState }>(listNoticesCommand))
  notices
    .command('retry')
    .description('process a stuck notification again')
    .argument('<notice>', 'the id from the list: ENVIRONMENT:RAIL:DIGEST')
    .option('--json', 'print one JSON document')
    .action(withArgument(retryNoticeCommand))
  rails
    .command('test')
    .description('make the calls that move no money; exits with 1 if one fails')
    .argument('<rail>', 'the name of the rail in RAILS_FILE')
    .option('--bank <slug>', 'with --account: look up the name of this account')
    .option('--account <number>', 'your own account number, ten digits')
    .option('--phone <number>', 'a wallet: ask the provider for its operator')
    .option('--json', 'print one JSON document')
    .action(withArgument<TestRailOptions>(testRailCommand))
  rails
    .command('cancel')
    .description('ask the provider to cancel a payout that waits in its queue; the payment then fails')
    .argument('<rail>', 'the name of the rail in RAILS_FILE')
    .requiredOption('--payout <id>', "the id of the payout in the provider's dashboard")
    .option('--json', 'print one JSON document')
    .action(withArgument<{ payout: string }>(cancelPayoutCommand))
}

function rolesOf(text: string): Role[] {
  const processRoles = text.split(',').map((role) => role.trim())
  if (processRoles.every((role) => role === 'api' || role === 'worker')) return processRoles
  throw new InvalidArgumentError('Use api, worker or api,worker.')
}
