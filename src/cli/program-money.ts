// The commands about money that waits for a person.

import { Argument, Option, type Command, InvalidArgumentError } from 'commander'
import { refundResolutions, type RefundResolution } from '#deposits/refunds.ts'
import type { ByHand } from '#payments/manual-settlement.ts'
import type { Environment } from '#platform/context.ts'
import type { Currency } from '#platform/money.ts'
import { exceptionKinds, type ExceptionKind } from '#review/review-item.ts'
import type { ArchiveOptions, BringBackOptions } from './archive.ts'
import type { RebuildOptions } from './businesses.ts'
import {
  adjustLedgerCommand,
  adoptNoticeCommand,
  closeExceptionCommand,
  listExceptionsCommand,
  listRefundsCommand,
  resolveRefundCommand,
  rebuildFiguresCommand,
  settlePaymentCommand,
  showDepositCommand,
  closeBreakCommand,
  listBreaksCommand,
  reconcileRailCommand,
  resumeRailCommand,
  archiveEventsCommand,
  archiveMovementsCommand,
  bringBackCommand,
  listArchiveCommand,
  verifyArchiveCommand,
} from './commands.ts'
import { withArgument, withOutput, type Output } from './output.ts'

export function addMoneyCommands(program: Command): void {
  addExceptions(program)
  addFigures(program)
  program
    .command('payments')
    .description('look after payments')
    .command('settle')
    .description('end a payment that its rail will never answer for, or return one whose money came back')
    .argument('<reference>', 'the payment, as its business calls it')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(new Option('--environment <name>', 'where').choices(['staging', 'production']).makeOptionMandatory())
    .addOption(
      new Option('--as <outcome>', 'how it ended').choices(['success', 'failed', 'returned']).makeOptionMandatory(),
    )
    .option('--to-bank', 'of what was returned: it is in your own bank account, not in the balance at the provider')
    .option('--because <id>', 'the review item that this answers, exc_… or brk_…: it is closed too')
    .requiredOption('--note <text>', noteOf('who told you, and where that is written'))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nAn unfinished payment is not ended while its rail may still act. See docs/runbooks/incidents.md.',
    )
    .action(withArgument<SettleOptions>(settlePaymentCommand))
  const deposits = program.command('deposits').description('look after money that came in')
  addRefunds(deposits)
  deposits
    .command('adopt')
    .description('say whose money it is that came for an account that nobody owns, or that found no room')
    .argument('<notice-id>', 'the notice, as exceptions list shows it: ENVIRONMENT:PROVIDER:ID')
    .requiredOption('--account <number>', 'the virtual account that it belongs to')
    .requiredOption('--note <text>', noteOf('how you know'))
    .option('--json', 'print one JSON document')
    .action(withArgument<{ account: string; note: string }>(adoptNoticeCommand))
}

function addFigures(program: Command): void {
  program
    .command('figures')
    .description('look after what the dashboard counts')
    .command('rebuild')
    .description('count the figures of a business anew, up to the hour before this one')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(new Option('--environment <name>', 'where').choices(['staging', 'production']).makeOptionMandatory())
    .option('--json', 'print one JSON document')
    .action(withOutput<RebuildOptions>(rebuildFiguresCommand))
}

export type SettleOptions = {
  business: string
  environment: Environment
  as: ByHand['as']
  toBank?: boolean
  because?: string
  note: string
}

/** The command `adjust` of `ledger`. */
export function addAdjust(ledger: Command): void {
  ledger
    .command('adjust')
    .description('add to the balance of a business, or take from it, to correct what is final and wrong')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(new Option('--environment <name>', 'where').choices(['staging', 'production']).makeOptionMandatory())
    .addOption(new Option('--currency <code>', 'of the amount').choices(['NGN']).makeOptionMandatory())
    .requiredOption('--amount <kobo>', '+150000 adds ₦1,500.00, -150000 takes it; the balance never falls below zero')
    .requiredOption('--because <id>', 'the open review item that this answers, exc_… or brk_…: it is closed too')
    .requiredOption('--note <text>', noteOf('what was wrong, and where that is written'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nSee docs/runbooks/incidents.md.')
    .action(withOutput<AdjustOptions>(adjustLedgerCommand))
}

export type AdjustOptions = {
  business: string
  environment: Environment
  currency: Currency
  amount: string
  because: string
  note: string
}

export type ShowDepositOptions = { business: string; environment: Environment }

function addRefunds(deposits: Command): void {
  deposits
    .command('show')
    .description('show one deposit and, if its money could not be accepted, where that is')
    .argument('<reference>', 'the deposit, DEP…')
    .requiredOption('--business <id>', 'the business, biz_…')
    .addOption(new Option('--environment <name>', 'where').choices(['staging', 'production']).makeOptionMandatory())
    .option('--json', 'print one JSON document')
    .action(withArgument<ShowDepositOptions>(showDepositCommand))
  const refunds = deposits
    .command('refunds')
    .description('list the money that could not be accepted and is not with its payer yet, oldest first')
    .option('--all', 'list those that have ended too, newest first')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ all?: boolean }>(listRefundsCommand))
  refunds
    .command('resolve')
    .description('end a refund that was paid back by other means, or have it sent again')
    .argument('<reference>', 'the deposit, DEP…')
    .addOption(new Option('--as <outcome>', 'what is so').choices([...refundResolutions]).makeOptionMandatory())
    .requiredOption('--note <text>', noteOf('how it was paid back, or why it can be sent now'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nA refund is sent again only when its provider has none. See docs/runbooks/incidents.md.')
    .action(withArgument<{ as: RefundResolution['as']; note: string }>(resolveRefundCommand))
}

function addExceptions(program: Command): void {
  const exceptions = program
    .command('exceptions')
    .description('see what waits for a person, and say that you have looked')
  exceptions
    .command('list')
    .description('list what is open, oldest first')
    .addOption(new Option('--kind <name>', 'only these').choices([...exceptionKinds]))
    .option('--json', 'print one JSON document')
    .action(withOutput<{ kind?: ExceptionKind }>(listExceptionsCommand))
  exceptions
    .command('close')
    .description('say that you have looked; the same fact is not raised again')
    .addArgument(new Argument('<id>', 'the exception, exc_…'))
    .requiredOption('--note <text>', noteOf('what you found'))
    .option('--json', 'print one JSON document')
    .action(withArgument<{ note: string }>(closeExceptionCommand))
}

function noteOf(what: string): string {
  return `${what} (1-500 characters)`
}

// The commands about where a provider's lists and ours do not agree.

/** To `manilla rails`. */
export function addBreakCommands(rails: Command): void {
  rails
    .command('breaks')
    .description("list where a provider's lists and ours do not agree, newest first")
    .option('--open', 'only what is open, oldest first')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ open?: boolean }>(listBreaksCommand))
  rails
    .command('break')
    .description('look after one of them')
    .command('close')
    .description('say that you have looked; the same fact is not opened again')
    .argument('<id>', 'the break, brk_…')
    .requiredOption('--note <text>', 'what you found (1-500 characters)')
    .option('--json', 'print one JSON document')
    .action(withArgument<{ note: string }>(closeBreakCommand))
  rails
    .command('resume')
    .description('hand payouts to a rail again that was stopped, or that refused us')
    .argument('<rail>', 'its name in RAILS_FILE')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nIn every process, within a second. Close its breaks as well. See docs/rails/breaks.md.')
    .action(withArgument(resumeRailCommand))
  rails
    .command('reconcile')
    .description('have a worker fetch a day anew and hold it against ours; exits with 1 when a break is open')
    .argument('<rail>', 'its name in RAILS_FILE')
    .requiredOption('--day <day>', 'of Lagos, such as 2026-11-20')
    .option('--json', 'print one JSON document')
    .action(withArgument<{ day: string }>(reconcileRailCommand))
}

// The commands about months of movements and events that leave their tables for files.

/** A year and the month before it, so that a whole year can be looked at at any time. */
const monthsKeptUsual = 13

export function addArchive(program: Command): void {
  const archive = program
    .command('archive')
    .description('keep old months of movements and events in files, sealed and provable')
  const sealing = { movements: archiveMovementsCommand, events: archiveEventsCommand }
  for (const [noun, command] of Object.entries(sealing)) addSealing(archive, noun, command)
  archive
    .command('list')
    .description('list the months that are sealed')
    .option('--json', 'print one JSON document')
    .action(withOutput(listArchiveCommand))
  archive
    .command('verify')
    .description('prove that a file is the one that was sealed, byte by byte; exits with 1 when it is not')
    .argument('<file>', 'one of the files that archive wrote')
    .option('--json', 'print one JSON document')
    .action(withArgument(verifyArchiveCommand))
  archive
    .command('bring-back')
    .description('put the newest archived month of a lane back into the table')
    .argument('<file>', 'its file')
    .option('--hurry', 'without rests, when no server works on the database')
    .option('--json', 'print one JSON document')
    .action(withArgument<BringBackOptions>(bringBackCommand))
}

function addSealing(
  archive: Command,
  noun: string,
  command: (output: Output, options: ArchiveOptions) => Promise<void>,
): void {
  archive
    .command(noun)
    .description(`write old months of ${noun} into files, seal them, and take them out of the table`)
    .requiredOption('--folder <path>', 'where the files go, and where those of a month that was begun are')
    .option('--keep-months <n>', 'whole months that stay, beside this one (at least 1)', monthsOf, monthsKeptUsual)
    .option('--hurry', 'without rests, when no server works on the database')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nIt can be cut off anywhere and run again. See docs/runbooks/large-tables.md.')
    .action(withOutput<ArchiveOptions>(command))
}

function monthsOf(text: string): number {
  const months = Number(text)
  if (Number.isSafeInteger(months) && months >= 1 && months <= 1_200) return months
  throw new InvalidArgumentError('It is a number of months from 1 to 1200.')
}
