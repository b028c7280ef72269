// The commands that hold payouts back.

import { Option, type Command } from 'commander'
import { koboOrNoneOf } from './arguments.ts'
import { pausePayoutsCommand, resumePayoutsCommand, setLimitsCommand, showLimitsCommand } from './commands.ts'
import { withOutput } from './output.ts'

const environments = ['staging', 'production']

export function addPayouts(program: Command): void {
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
