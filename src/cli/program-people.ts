// The commands about the people of the dashboard.

import { Argument, Option, type Command } from 'commander'
import { roles } from '#people/person.ts'
import {
  invitePersonCommand,
  listPeopleCommand,
  removePersonCommand,
  resetPersonCommand,
  setOperatorCommand,
} from './commands.ts'
import { createOutput, withArgument, withOutput } from './output.ts'
import type { InviteOptions } from './people.ts'

const json = ['--json', 'print one JSON document'] as const

export function addPeople(program: Command): void {
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
    .argument('<email>', 'whom')
    .requiredOption('--business <id>', 'the business, biz_…')
    .option(...json)
    .action(withArgument<{ business: string }>(removePersonCommand))
  people
    .command('reset')
    .description('make a link to a new password; it is shown this once')
    .argument('<email>', 'for whom')
    .option('--second-factor', 'take their second factor away too, when phone and recovery codes are lost')
    .option(...json)
    .action(withArgument<{ secondFactor?: boolean }>(resetPersonCommand))
  people
    .command('operator')
    .description('say who looks after the installation, and sees the page Operations')
    .argument('<email>', 'who')
    .addArgument(new Argument('<on-off>', 'whether they do').choices(['on', 'off']))
    .option(...json)
    .action((email: string, word: 'on' | 'off', { json: asJson }: { json?: boolean }) =>
      setOperatorCommand(createOutput(asJson === true), email, word),
    )
}
