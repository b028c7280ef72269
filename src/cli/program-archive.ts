// The commands about months of movements and events that leave their tables for files.

import { InvalidArgumentError, type Command } from 'commander'
import type { ArchiveOptions, BringBackOptions } from './archive.ts'
import {
  archiveEventsCommand,
  archiveMovementsCommand,
  bringBackCommand,
  listArchiveCommand,
  verifyArchiveCommand,
} from './commands.ts'
import { withArgument, withOutput, type Output } from './output.ts'

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
