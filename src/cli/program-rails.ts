// The commands about where a provider's lists and ours do not agree.

import type { Command } from 'commander'
import { closeBreakCommand, listBreaksCommand, reconcileRailCommand, resumeRailCommand } from './commands.ts'
import { withArgument, withOutput } from './output.ts'

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
