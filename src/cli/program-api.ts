// The commands for integrators, which need an API key and no database, with their options and help texts. `listen` and
// `trigger` can use the database instead.

import { Argument, Option, type Command } from 'commander'
import { eventNames } from '#events/catalogue.ts'
import { durationMsOf, type TenantOptions } from './arguments.ts'
import {
  getTransferCommand,
  listTransfersCommand,
  listenRemotely,
  loginCommand,
  logoutCommand,
  openCommand,
  tailEventsCommand,
  triggerRemotely,
  usesApi,
} from './commands.ts'
import type { ListenOptions } from './listen.ts'
import { createOutput, withArgument, withOutput, type Output } from './output.ts'
import type { ListTransfersOptions } from './remote/commands.ts'
import type { ProfileOption } from './remote/api.ts'

/** `listen` and `trigger` on the database. */
export type DatabaseCommands = {
  listen: (options: ListenOptions) => Promise<void>
  trigger: (output: Output, event: string, options: TenantOptions) => Promise<void>
}

const json = ['--json', 'print one JSON document'] as const
const jsonLines = ['--json', 'print one JSON document per line and event'] as const
const profile = ['--profile <name>', 'the profile of manilla login (default: default)'] as const

export function addApiCommands(program: Command, onDatabase: DatabaseCommands): void {
  addLogin(program)
  addListen(program, onDatabase)
  addTrigger(program, onDatabase)
  addTransfers(program)
  program
    .command('events')
    .description('follow the events of a business through the API')
    .command('tail')
    .description('print events as they happen')
    .addOption(new Option('--event <name>', 'only this event').choices(eventNames))
    .option('--since <time>', 'include past events: 30s, 10m, 2h, 1d (default: only new events)', durationMsOf)
    .option(...profile)
    .option(...jsonLines)
    .action(tailEventsCommand)
  program
    .command('open')
    .description('open the dashboard or the API reference of the server, or print its address')
    .addArgument(new Argument('[page]', 'the page').choices(['dashboard', 'docs']).default('dashboard'))
    .option(...profile)
    .option(...json)
    .action(withArgument<ProfileOption>(openCommand))
}

function addLogin(program: Command): void {
  program
    .command('login')
    .description('check an API key and keep it, so that other commands need no database')
    .option('--base-url <url>', 'the base URL of the environment, such as https://pay.example.com/staging')
    .option('--profile <name>', 'keep it under this name (default: default)')
    .option(...json)
    .addHelpText('after', loginHelp)
    .action(withOutput<ProfileOption & { baseUrl?: string }>(loginCommand))
  program
    .command('logout')
    .description('remove a stored API key')
    .option(...profile)
    .option(...json)
    .action(withOutput<ProfileOption>(logoutCommand))
}

const loginHelp = `
The key is typed without echo, or comes from standard input or from MANILLA_API_KEY. It is kept in
~/.config/manilla/config.json, which only you can read. Commands prefer MANILLA_API_KEY and MANILLA_BASE_URL to the stored
profile, unless --profile names one.

Examples:
  npx manilla login --base-url https://pay.example.com/staging
  npx manilla login --base-url https://pay.example.com/staging < key.txt`

/**
 * The options for the person who runs the installation. `--business` or `--environment` makes the command use the
 * database instead of the API. Without `--environment`, it then uses staging.
 */
const business = ['--business <id>', 'use the database, and this business, biz_… (default: the only one)'] as const
const environment = (): Option =>
  new Option('--environment <name>', 'use the database, and this environment (default: staging)').choices([
    'staging',
    'production',
  ])

type Either = ProfileOption & { business?: string; environment?: TenantOptions['environment'] }

function addListen(program: Command, onDatabase: DatabaseCommands): void {
  program
    .command('listen')
    .description('forward the events of a business to a local program, signed like webhooks')
    .requiredOption('--forward-to <url>', 'the receiver, an http or https URL')
    .option('--since <time>', 'include past events: 30s, 10m, 2h, 1d (default: only new events)', durationMsOf)
    .option('--secret <secret>', 'the signing secret, whsec_… (default: a new one, which is printed)')
    .option(...profile)
    .option(...business)
    .addOption(environment())
    .option(...jsonLines)
    .addHelpText('after', listenHelp)
    .action(async (options: Either & Omit<ListenOptions, 'environment'>) => {
      if (await usesApi(options)) return listenRemotely(options)
      return onDatabase.listen({ environment: 'staging', ...options })
    })
}

function addTrigger(program: Command, onDatabase: DatabaseCommands): void {
  program
    .command('trigger')
    .description('send a sample event to every subscription to it and print the responses')
    .argument('<event>', 'the name of the event, such as transfer.success')
    .option(...profile)
    .option(...business)
    .addOption(environment())
    .option(...json)
    .addHelpText('after', `${whereHelp}\n\nExample:\n  npx manilla trigger transfer.success`)
    .action(async (event: string, { json: asJson, ...options }: Either & { json?: boolean }) => {
      const output = createOutput(asJson === true)
      if (await usesApi(options)) return triggerRemotely(output, event, options)
      return onDatabase.trigger(output, event, { environment: 'staging', ...options })
    })
}

const whereHelp = `
After manilla login, or with MANILLA_API_KEY, it uses the API. Otherwise, and with --business or --environment, it uses the
database of this folder.`

const listenHelp = `
Every event is sent once, without retries, even if no subscription exists for it. The command keeps running when the
server restarts. Press Ctrl-C to end it. See docs/webhooks.md.
${whereHelp}

Examples:
  npx manilla listen --forward-to http://localhost:3000/webhooks
  npx manilla listen --forward-to http://localhost:3000/webhooks --since 10m`

function addTransfers(program: Command): void {
  const transfers = program.command('transfers').description('list and read bank transfers through the API')
  transfers
    .command('list')
    .description('list transfers, newest first')
    .option('--status <status>', 'only this status: queued, SUCCESS, FAILED, REVERSED')
    .option('--from <time>', 'created at or after: 2026-01-31 or 2026-01-31T12:00:00Z')
    .option('--to <time>', 'created at or before')
    .option('--page <n>', 'the page (default: 1)')
    .option('--limit <n>', 'transfers per page, at most 100 (default: 20)')
    .option(...profile)
    .option(...json)
    .action(withOutput<ListTransfersOptions>(listTransfersCommand))
  transfers
    .command('get')
    .description('show one transfer')
    .argument('<reference>', 'the reference that you sent it under')
    .option(...profile)
    .option(...json)
    .action(withArgument<ProfileOption>(getTransferCommand))
}
