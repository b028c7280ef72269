// Commands for reviews, corrections, refunds, figures, reconciliation and archives, with their options and help texts.

import { Argument, Option, type Command, InvalidArgumentError } from 'commander'
import { monthsKeptUsual } from '#archive/source.ts'
import { refundResolutions, type RefundResolution } from '#deposits/refunds.ts'
import type { ByHand } from '#payments/settle.ts'
import type { Environment } from '#platform/context.ts'
import { currencies, type Currency } from '#platform/money.ts'
import { exceptionKinds, type ExceptionKind } from '#review/review-queue.ts'
import type { ArchiveOptions, BringBackOptions } from './archive.ts'
import type { RebuildOptions } from './businesses.ts'
import {
  adjustLedgerCommand,
  adjustWalletCommand,
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
    .description('settle payments manually')
    .command('settle')
    .description('settle a payment whose rail will not report a result, or return one whose money came back')
    .argument('<reference>', 'the reference that the business gave the payment')
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .addOption(
      new Option('--environment <name>', 'the environment').choices(['staging', 'production']).makeOptionMandatory(),
    )
    .addOption(
      new Option('--as <outcome>', 'the result').choices(['success', 'failed', 'returned']).makeOptionMandatory(),
    )
    .option('--to-bank', 'the returned money is in your own bank account, not in the balance at the provider')
    .option('--because <id>', 'the review item that this resolves, exc_… or brk_…; it is closed too')
    .requiredOption('--note <text>', noteOf('who told you and where it is recorded'))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nA pending payment cannot be settled while its rail may still act. See docs/runbooks/incidents.md.',
    )
    .action(withArgument<SettleOptions>(settlePaymentCommand))
  const deposits = program.command('deposits').description('show deposits and manage refunds')
  addRefunds(deposits)
  deposits
    .command('adopt')
    .description('assign money that was received for an unknown account, or that could not be credited')
    .argument('<notice-id>', 'the id from exceptions list: ENVIRONMENT:PROVIDER:ID')
    .requiredOption('--account <number>', 'the virtual account to credit')
    .requiredOption('--note <text>', noteOf('how you know'))
    .option('--json', 'print one JSON document')
    .action(withArgument<{ account: string; note: string }>(adoptNoticeCommand))
}

function addFigures(program: Command): void {
  program
    .command('figures')
    .description('manage the figures of the dashboard')
    .command('rebuild')
    .description('recount the figures of a business, up to the previous hour')
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .addOption(
      new Option('--environment <name>', 'the environment').choices(['staging', 'production']).makeOptionMandatory(),
    )
    .option('--json', 'print one JSON document')
    .action(withOutput<RebuildOptions>(rebuildFiguresCommand))
}

export type SettleOptions = {
  business?: string
  environment: Environment
  as: ByHand['as']
  toBank?: boolean
  because?: string
  note: string
}

export function addAdjust(ledger: Command): void {
  ledger
    .command('adjust')
    .description('add to or subtract from the balance of a business, to correct a final error')
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .addOption(
      new Option('--environment <name>', 'the environment').choices(['staging', 'production']).makeOptionMandatory(),
    )
    .addOption(new Option('--currency <code>', 'the currency').choices(currencies).makeOptionMandatory())
    .requiredOption(
      '--amount <amount>',
      'in the minor unit: +150000 adds ₦1,500.00, -150000 subtracts it; the balance cannot become negative',
    )
    .requiredOption('--because <id>', 'the open review item that this resolves, exc_… or brk_…; it is closed too')
    .requiredOption('--note <text>', noteOf('what was wrong and where it is recorded'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nSee docs/runbooks/incidents.md.')
    .action(withOutput<AdjustOptions>(adjustLedgerCommand))
}

export type AdjustOptions = {
  business?: string
  environment: Environment
  currency: Currency
  amount: string
  because: string
  note: string
}

export type ShowDepositOptions = { business?: string; environment: Environment }

function addRefunds(deposits: Command): void {
  deposits
    .command('show')
    .description('show a deposit and the state of its refund')
    .argument('<reference>', 'the deposit, DEP…')
    .option('--business <id>', 'the business, biz_… (default: the only one)')
    .addOption(
      new Option('--environment <name>', 'the environment').choices(['staging', 'production']).makeOptionMandatory(),
    )
    .option('--json', 'print one JSON document')
    .action(withArgument<ShowDepositOptions>(showDepositCommand))
  const refunds = deposits
    .command('refunds')
    .description('list open refunds, oldest first')
    .option('--all', 'include completed refunds, newest first')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ all?: boolean }>(listRefundsCommand))
  refunds
    .command('resolve')
    .description('close a refund that was paid another way, or send it again')
    .argument('<reference>', 'the deposit, DEP…')
    .addOption(new Option('--as <outcome>', 'the resolution').choices([...refundResolutions]).makeOptionMandatory())
    .requiredOption('--note <text>', noteOf('how it was paid, or why it can be sent now'))
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nA refund is sent again only if the provider has none. See docs/runbooks/incidents.md.')
    .action(withArgument<{ as: RefundResolution['as']; note: string }>(resolveRefundCommand))
}

function addExceptions(program: Command): void {
  const exceptions = program.command('exceptions').description('list and close items of the review queue')
  exceptions
    .command('list')
    .description('list open items, oldest first')
    .addOption(new Option('--kind <name>', 'only this kind').choices([...exceptionKinds]))
    .option('--json', 'print one JSON document')
    .action(withOutput<{ kind?: ExceptionKind }>(listExceptionsCommand))
  exceptions
    .command('close')
    .description('close an item; the same fact is not raised again')
    .addArgument(new Argument('<id>', 'the id of the item, exc_…'))
    .requiredOption('--note <text>', noteOf('what you found'))
    .option('--json', 'print one JSON document')
    .action(withArgument<{ note: string }>(closeExceptionCommand))
}

function noteOf(what: string): string {
  return `${what} (1-500 characters)`
}

export type AdjustWalletOptions = { currency: Currency; country: string; amount: string; note: string }

export function addBreakCommands(rails: Command): void {
  rails
    .command('breaks')
    .description('list reconciliation mismatches, newest first')
    .option('--open', 'only open mismatches, oldest first')
    .option('--json', 'print one JSON document')
    .action(withOutput<{ open?: boolean }>(listBreaksCommand))
  rails
    .command('break')
    .description('manage one mismatch')
    .command('close')
    .description('close a mismatch; the same fact is not opened again')
    .argument('<id>', 'the id of the mismatch, brk_…')
    .requiredOption('--note <text>', noteOf('what you found'))
    .option('--json', 'print one JSON document')
    .action(withArgument<{ note: string }>(closeBreakCommand))
  rails
    .command('adjust')
    .description('open or correct our book of a wallet, so that it says what the provider holds')
    .argument('<rail>', 'the name of the rail in RAILS_FILE')
    .addOption(new Option('--currency <code>', 'the currency').choices(currencies).makeOptionMandatory())
    .requiredOption('--country <code>', 'the country of the wallet, two letters')
    .requiredOption('--amount <amount>', 'in the minor unit: +150000 adds to the book, -150000 subtracts from it')
    .requiredOption('--note <text>', noteOf('what the book lacked and how you know'))
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nNo money moves. rails balance says by how much a wallet differs. See docs/rails/pawapay.md.',
    )
    .action(withArgument<AdjustWalletOptions>(adjustWalletCommand))
  rails
    .command('resume')
    .description('send payouts to a stopped or failing rail again')
    .argument('<rail>', 'the name of the rail in RAILS_FILE')
    .option('--json', 'print one JSON document')
    .addHelpText(
      'after',
      '\nAll processes resume within a second. Close the mismatches of the rail too. See docs/rails/breaks.md.',
    )
    .action(withArgument(resumeRailCommand))
  rails
    .command('reconcile')
    .description('let a worker reconcile one day again; exits with 1 if a mismatch is open')
    .argument('<rail>', 'the name of the rail in RAILS_FILE')
    .requiredOption('--day <day>', 'the day in Lagos, such as 2026-11-20')
    .option('--json', 'print one JSON document')
    .action(withArgument<{ day: string }>(reconcileRailCommand))
}

export function addArchive(program: Command): void {
  const archive = program.command('archive').description('move old ledger movements and events to sealed files')
  const sealing = { movements: archiveMovementsCommand, events: archiveEventsCommand }
  for (const [noun, command] of Object.entries(sealing)) addSealing(archive, noun, command)
  archive
    .command('list')
    .description('list archived months')
    .option('--json', 'print one JSON document')
    .action(withOutput(listArchiveCommand))
  archive
    .command('verify')
    .description('verify that a file is unchanged since it was sealed; exits with 1 if it is not')
    .argument('<file>', 'a file that archive wrote')
    .option('--json', 'print one JSON document')
    .action(withArgument(verifyArchiveCommand))
  archive
    .command('bring-back')
    .description('restore the newest archived month of a lane to the table')
    .argument('<file>', 'the archive file')
    .option('--hurry', 'do not pause between steps; use it if no server uses the database')
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
    .description(`write old months of ${noun} to files, seal them and delete them from the table`)
    .requiredOption('--folder <path>', 'the folder of the files, also of a month that is not finished')
    .option('--keep-months <n>', 'complete months that stay in the table (at least 1)', monthsOf, monthsKeptUsual)
    .option('--hurry', 'do not pause between steps; use it if no server uses the database')
    .option('--json', 'print one JSON document')
    .addHelpText('after', '\nThe command can be interrupted and run again. See docs/runbooks/large-tables.md.')
    .action(withOutput<ArchiveOptions>(command))
}

function monthsOf(text: string): number {
  const months = Number(text)
  if (Number.isSafeInteger(months) && months >= 1 && months <= 1_200) return months
  throw new InvalidArgumentError('Use a number of months from 1 to 1200.')
}
