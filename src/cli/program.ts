// The commands that hold payouts back.

import { Option, Command, Argument, InvalidArgumentError } from 'commander'
import type { Role } from '#app.ts'
import { scopes } from '#businesses/keyring.ts'
import { version } from '#config.ts'
import { dayMs } from '#platform/durations.ts'
import { openStates, type OpenState } from '#rail-notices/notice.ts'
import { roles } from '#users/user.ts'
import {
  koboOrNoneOf,
  durationMsOf,
  lifetimeMsOf,
  listLimitOf,
  networksOf,
  overlapHoursOf,
  scopesOf,
  type TenantOptions,
} from './arguments.ts'
import type { ListAuditOptions } from './audit.ts'
import {
  pausePayoutsCommand,
  resumePayoutsCommand,
  setLimitsCommand,
  showLimitsCommand,
  invitePersonCommand,
  listPeopleCommand,
  removePersonCommand,
  resetPersonCommand,
  setOperatorCommand,
  eraseCustomerCommand,
  showCustomerCommand,
  balanceRailsCommand,
  createBusinessCommand,
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
  testRailCommand,
  triggerCommand,
  verifyAuditCommand,
  verifyLedgerCommand,
} from './commands.ts'
import type { WhoseCustomer } from './customers.ts'
import { withOutput, createOutput, withArgument, type Output } from './output.ts'
import type { InviteOptions } from './people.ts'
import { addArchive, addAdjust, addMoneyCommands, addBreakCommands } from './program-money.ts'
import type { TestRailOptions } from './rails.ts'

const environments = ['staging', 'production']

function addPayouts(program: Command): void {
  addLimits(program)
  const payouts = program.command('payouts').description('stop payouts, and let them go on')
  for (const [name, description, command] of [
    ['pause', 'accept no new payouts and send none that waits; what has been sent is followed', pausePayoutsCommand],
    ['resume', 'lift the pause that was made with the same options', resumePayoutsCommand],
  ] as const) {
    payouts
      .command(name)
      .description(description)
      .option('--business <id>', 'the business, biz_… (default: all of them)')
      .addOption(new Option('--environment <name>', 'where (default: both)').choices(environments))
      .option('--json', 'print one JSON document')
      .action(withOutput(command))
  }
}

function addLimits(program: Command): void {
  const limits = program.command('limits').description('how much a business may pay out, in kobo and without fees')
  const whose = (command: Command): Command =>
    command
      .requiredOption('--business <id>', 'the business, biz_…')
      .addOption(new Option('--environment <name>', 'where').choices(environments).makeOptionMandatory())
      .option('--json', 'print one JSON document')
  whose(limits.command('show'))
    .description('show the limits, and what today leaves of them')
    .action(withOutput(showLimitsCommand))
  whose(limits.command('set'))
    .description('set one limit or both; what was accepted today counts already')
    .addOption(new Option('--per-payment <kobo>', 'the most that one payout may be, or none').argParser(koboOrNoneOf))
    .addOption(new Option('--per-day <kobo>', 'the most of one day in Lagos, or none').argParser(koboOrNoneOf))
    .action(withOutput(setLimitsCommand))
}

// The commands about the people of the dashboard.

const json = ['--json', 'print one JSON document'] as const

function addPeople(program: Command): void {
  const people = program
    .command('people')
    .description('list, invite, remove and let back in the people of the dashboard')
  people
    .command('list')
    .description('list who can sign in, once for each business that they are of')
    .option('--business <id>', 'of this business alone, biz_…')
    .option(...json)
    .action(withOutput(listPeopleCommand))
  people
    .command('invite')
    .description('make a link that lets somebody into a business; it is shown this once')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(new Option('--role <role>', 'what they are to be').choices(roles).makeOptionMandatory())
    .requiredOption('--email <address>', 'whom it is for')
    .option(...json)
    .action(withOutput<InviteOptions>(invitePersonCommand))
  people
    .command('remove')
    .description('take somebody out of a business, and sign them out')
    .argument('<address>', 'whom: an e-mail address, or per_…')
    .requiredOption('--business <id>', 'the business, biz_…')
    .option(...json)
    .action(withArgument<{ business: string }>(removePersonCommand))
  people
    .command('reset')
    .description('make a link to a new password; it is shown this once')
    .argument('<address>', 'for whom: an e-mail address, or per_…')
    .option('--business <id>', 'a business that they are of, where several accounts share the address, biz_…')
    .option('--second-factor', 'take their second factor away too, when phone and recovery codes are lost')
    .option(...json)
    .action(withArgument<{ secondFactor?: boolean; business?: string }>(resetPersonCommand))
  people
    .command('operator')
    .description('say who looks after the installation, and sees the page Operations')
    .argument('<address>', 'who: an e-mail address, or per_…')
    .addArgument(new Argument('<on-off>', 'whether they do').choices(['on', 'off']))
    .option('--business <id>', 'a business that they are of, where several accounts share the address, biz_…')
    .option(...json)
    .action((who: string, word: 'on' | 'off', { json: asJson, business }: { json?: boolean; business?: string }) =>
      setOperatorCommand(createOutput(asJson === true), { who, word, ...(business === undefined ? {} : { business }) }),
    )
}

// The commands about the data of people.

function addCustomers(program: Command): void {
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

// The commands, on one screen.

export function createProgram(): Command {
  const program = new Command('manilla')
    .description(
      'A payments service that you run yourself: naira and mobile money, signed webhooks, a double-entry ledger.',
    )
    .version(version)
    .configureOutput({ outputError: (text, write) => write(sentenceOf(text)) })
    .addHelpText('after', '\nSettings come from the environment and from .env; none is needed to start. See README.md.')

  program
    .command('serve')
    .description('serve the API and do the work behind it')
    .addOption(
      new Option('--roles <list>', 'what this process does')
        .default(['api', 'worker'], 'api,worker')
        .argParser(rolesOf),
    )
    .option('--migrate', 'bring the database of DATABASE_URL up to date first (the embedded one always is)', false)
    .action(serveCommand)
  reporting(program, 'migrate', 'bring the database up to date with this version', migrateCommand)
  reporting(
    program,
    'doctor',
    'check settings, database and folder, and say what to do about what is wrong',
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
  addWebhooks(program)
  return program
}

/** `error: unknown command 'key'\n(Did you mean keys?)` becomes one line, like every other refusal of a command. */
function sentenceOf(text: string): string {
  const told = text
    .replace(/^error: /, '')
    .trim()
    .replaceAll(/\s*\n\s*/g, ' ')
  const begun = told.charAt(0).toUpperCase() + told.slice(1)
  return `${begun}${/[.?!)]$/.test(begun) ? '' : '.'} Run it with --help to see what it takes.\n`
}

/** A command that is told nothing but how to print. */
function reporting(parent: Command, name: string, says: string, command: (output: Output) => Promise<void>): void {
  parent.command(name).description(says).option('--json', 'print one JSON document').action(withOutput(command))
}

function addBusinesses(program: Command): void {
  const businesses = program
    .command('businesses')
    .description('create and list the businesses that this service serves')
  businesses
    .command('create')
    .description('create a business, in staging and production; then create its keys')
    .requiredOption('--name <name>', 'what to call it (1-100 characters)')
    .option('--json', 'print one JSON document')
    .action(withOutput(createBusinessCommand))
  reporting(businesses, 'list', 'list all businesses', listBusinessesCommand)
}

function addKeys(program: Command): void {
  const keys = program.command('keys').description('create, list, roll and revoke API keys')
  keys
    .command('create')
    .description('create a key; it is shown this once')
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .addOption(
      new Option('--environment <name>', 'what the key opens').choices(['staging', 'production']).makeOptionMandatory(),
    )
    .option('--name <name>', 'what to call it', 'Default')
    .option('--scopes <list>', `what it may do: ${scopes.join(',')} (default: all of it)`, scopesOf)
    .option('--allow <list>', 'from where: addresses and networks, 203.0.113.0/24 (default: anywhere)', networksOf)
    .option('--expires-in <time>', 'after how long it ends: 90d, 12h, 30m, 60s (default: never)', lifetimeMsOf)
    .option('--json', 'print one JSON document')
    .action(withOutput(createKeyCommand))
  keys
    .command('list')
    .description("list a business's keys: never the keys themselves")
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .option('--json', 'print one JSON document')
    .action(withOutput(listKeysCommand))
  keys
    .command('revoke')
    .description('make a key stop working at once')
    .argument('<key-id>', 'the key, key_…')
    .option('--json', 'print one JSON document')
    .action(withArgument(revokeKeyCommand))
  keys
    .command('roll')
    .description('create a key in the place of an old one, which goes on working for a while')
    .argument('<key-id>', 'the key to replace, key_…')
    .option('--overlap-hours <n>', 'how long the old key goes on working (0-24)', overlapHoursOf, 24)
    .option('--json', 'print one JSON document')
    .action(withArgument<{ overlapHours: number }>(rollKeyCommand))
}

function addLedger(program: Command): void {
  const ledger = program.command('ledger').description('look after the books')
  addAdjust(ledger)
  ledger
    .command('verify')
    .description('prove every invariant anew from the movements; exits with 1 when one is broken')
    .option('--hurry', 'without rests, when no server works on the database')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ hurry?: boolean }>(verifyLedgerCommand))
}

function addAudit(program: Command): void {
  const audit = program.command('audit').description('who did what to keys, settings, limits and webhooks')
  audit
    .command('list')
    .description('list what was done, and who was refused, the newest first')
    .option('--business <id>', 'only what concerns this business, biz_…')
    .option('--act <name>', 'only this act, such as key.created')
    .option('--since <time>', 'from so long ago on: 30s, 10m, 2h, 7d', durationMsOf, 30 * dayMs)
    .option('--limit <n>', 'at most so many (1-10000)', listLimitOf, 100)
    .option('--json', 'print one JSON document')
    .action(withOutput<ListAuditOptions>(listAuditCommand))
  audit
    .command('verify')
    .description('prove that no entry was changed or taken out; exits with 1 when one was')
    .option('--noted <hash>', 'a hash that an earlier run printed: prove also that the log still contains it')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ noted?: string }>(verifyAuditCommand))
}

function addSecrets(program: Command): void {
  program
    .command('secrets')
    .description('look after the key that seals stored secrets')
    .command('reseal')
    .description('seal every stored secret with SECRET_KEY, also those that SECRET_KEY_PREVIOUS opens')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nBeside a running service; it can be stopped and begun again. See docs/runbooks/secret-key.md.',
    )
    .action(withOutput(resealSecretsCommand))
}

function addRails(program: Command): void {
  const rails = program.command('rails').description('the providers of RAILS_FILE')
  const listed = 'list them, what each serves, and whether it takes our key; moves no money'
  reporting(rails, 'list', listed, listRailsCommand)
  reporting(rails, 'balance', 'print what each provider holds for us', balanceRailsCommand)
  addBreakCommands(rails)
  const notices = rails
    .command('notices')
    .description('list what providers told and is not done, oldest first')
    .addOption(
      new Option('--state <name>', 'new: still asked about; stuck: waits for a person')
        .choices([...openStates])
        .default('stuck'),
    )
    .option('--json', 'print one JSON document')
    .action(withOutput<{ state: OpenState }>(listNoticesCommand))
  notices
    .command('retry')
    .description('look at a stuck one once more')
    .argument('<notice>', 'as the list shows it: ENVIRONMENT:RAIL:DIGEST')
    .option('--json', 'print one JSON document')
    .action(withArgument(retryNoticeCommand))
  rails
    .command('test')
    .description('make the calls that move no money; exits with 1 when one fails')
    .argument('<rail>', 'its name in RAILS_FILE')
    .option('--bank <slug>', 'with --account: whose account is it?')
    .option('--account <number>', 'an account of your own, ten digits')
    .option('--json', 'print one JSON document')
    .action(withArgument<TestRailOptions>(testRailCommand))
}

function addWebhooks(program: Command): void {
  const environment = (): Option =>
    new Option('--environment <name>', 'whose events').choices(['staging', 'production']).default('staging')
  program
    .command('listen')
    .description('forward the events of a business to a program on this machine, signed as deliveries are')
    .requiredOption('--forward-to <url>', 'where to send them, http or https')
    .option(
      '--since <time>',
      'begin with what happened so long ago: 30s, 10m, 2h, 1d (default: from now on)',
      durationMsOf,
    )
    .option('--secret <secret>', 'sign with this secret, whsec_… (default: a new one, printed at the start)')
    .option('--business <id>', 'the business, biz_… (default: the first one)')
    .addOption(environment())
    .option('--json', 'print one JSON document a line, for each event')
    .addHelpText('after', listenExamples)
    .action(listenCommand)
  program
    .command('trigger')
    .description('send a sample of an event to every subscription that asks for it, and print the answers')
    .argument('<event>', 'its name, such as transfer.success')
    .option('--business <id>', 'the business, biz_… (default: the first one)')
    .addOption(environment())
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nExample:\n  npx manilla trigger transfer.success')
    .action(withArgument<TenantOptions>(triggerCommand))
}

const listenExamples = `
Every event is sent once, without retries, whether a subscription asks for it or not. It goes on by itself when the
server restarts; Ctrl-C ends it. See docs/webhooks.md.

Examples:
  npx manilla listen --forward-to http://localhost:3000/webhooks
  npx manilla listen --forward-to http://localhost:3000/webhooks --since 10m`

function rolesOf(text: string): Role[] {
  const processRoles = text.split(',').map((role) => role.trim())
  if (processRoles.every((role) => role === 'api' || role === 'worker')) return processRoles
  throw new InvalidArgumentError('It is api, worker or api,worker.')
}
