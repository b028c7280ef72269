import { expect, it } from 'vitest'
import { entriesOf } from '#simulate/databases/database.ts'

const about = (line: string): string => `2026-11-23 08:07:06.495 UTC [21065] ${line}\n`
const deadlock = [
  about('ERROR:  deadlock detected'),
  about('DETAIL:  Process 21065 waits for ShareLock on transaction 1472; blocked by process 21079.'),
  "\tProcess 21065: select 'ERROR here'\n",
  about('STATEMENT:  select 1'),
].join('')
const others = [about('ERROR:  duplicate key'), about('DETAIL:  deadlock detected is not what this is.')].join('')

it('an entry of a log has the lines that belong to it, and no others', () => {
  const log = [about('LOG:  ready'), deadlock, others, deadlock, about('LOG:  stopped')].join('')
  expect(entriesOf(log, /ERROR: +deadlock detected/)).toEqual([deadlock, deadlock])
  expect(entriesOf('', /ERROR/)).toEqual([])
})
