// Archiving that is killed at any point: the proofs of the books pass at once, and the next run completes it.

import { readdir } from 'node:fs/promises'
import path from 'node:path'
import pg from 'pg'
import { expect, it } from 'vitest'
import { startManilla, manilla } from '#tests/cli/support.ts'
import { citusUrl } from '#tests/support/citus.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { openBooks, type Books } from './books.ts'

async function stepsOf(books: Books): Promise<string[]> {
  const steps: string[] = []
  await books.archive({ monthsKept: 3, tell: (step) => steps.push(step) })
  return steps
}

async function expectArchived(books: Books, before: string): Promise<void> {
  expect(await books.breaches()).toEqual([])
  const [row] = await asOwner<{ count: string }>(
    books.database,
    `select count(*) from ledger_movement where created_at < '${before}'`,
  )
  expect(row?.count).toBe('0')
}

/** Until the lock is released, no process can delete a movement. A process that waits for the lock never gets it. */
async function keepMovements({ database }: Books): Promise<() => Promise<void>> {
  const keeper = new pg.Client({ connectionString: database.ownerUrl })
  await keeper.connect()
  await keeper.query('begin; lock table ledger_movement in share mode')
  return async () => {
    await untilHolds(async () => {
      const waiting = await asOwner(
        database,
        `select pg_terminate_backend(pid) from pg_stat_activity
          where wait_event_type = 'Lock' and datname = current_database()`,
      )
      expect(waiting).toEqual([])
    })
    await keeper.end()
  }
}

it('continues from every step at which it was interrupted', async () => {
  const steps = await stepsOf(await openBooks())
  expect(steps.map((step) => step.split(' ')[0])).toEqual(
    [1, 2].flatMap(() => ['writing', 'reading', 'sealing', 'taking', 'took']),
  )
  const books = await openBooks()
  for (const at of steps.keys()) {
    let left = at
    const tell = (): void => {
      if (left-- === 0) throw new Error('cut off')
    }
    const failure = await books.archive({ monthsKept: 3, tell }).then(() => undefined, String)
    expect([undefined, 'Error: cut off']).toContain(failure)
    expect(await books.breaches({ rowsPerSnapshot: 0 })).toEqual([])
  }
  await books.archive({ monthsKept: 3 })
  await expectArchived(books, '2026-03-01T00:00:00Z')
})

it('continues after its process was killed between two steps, and leaves no incomplete file under a final name', async () => {
  const books = await openBooks()
  const env = {
    DATABASE_URL: books.database.serviceUrl,
    MIGRATION_DATABASE_URL: books.database.ownerUrl,
    SECRET_KEY: Buffer.alloc(32, 7).toString('base64'),
  }
  let begun: { check: string }[] = []
  const archive = ['archive', 'movements', '--folder', books.folder, '--keep-months', '1', '--hurry']
  for (const step of ['writing 2026-01', 'sealing 2026-01', 'taking 2026-01', 'took out']) {
    // Without the lock, the process could delete a month or end before the signal reaches it. In the last step it may.
    const release = step === 'took out' ? undefined : await keepMovements(books)
    const running = await startManilla(archive, { env })
    while (!running.stderr().includes(step) && !(await hasEnded(running.ended)));
    if (release !== undefined || !(await hasEnded(running.ended))) running.signal('SIGKILL')
    await running.ended
    await release?.()
    expect(await books.breaches()).toEqual([])
    if (step.startsWith('taking')) begun = JSON.parse((await manilla(['doctor', '--json'], { env })).stdout).findings
  }
  expect(begun.find(({ check }) => check === 'archive')).toMatchObject({
    state: 'warning',
    message: expect.stringMatching(
      /^sealed but not yet deleted from the table: 2026-01 of lane 1 \(0 of \d+ movements\)\. Run again/,
    ),
  })
  const ended = await manilla(archive, { env })
  expect(ended.code).toBe(0)
  await expectArchived(books, '2026-06-01T00:00:00Z')
  const files = await readdir(path.join(books.folder, 'lane-00001'))
  for (const name of files) expect(name).toMatch(/^movements-2026-\d\d-[0-9a-f]{16}\.jsonl\.gz$/)
  const listed = JSON.parse((await manilla(['archive', 'list', '--json'], { env })).stdout).months
  expect(listed.map(({ file }: { file: string }) => path.basename(file))).toEqual(files.toSorted())
  const first = path.join(books.folder, listed[0].file)
  const verified = await manilla(['archive', 'verify', first], { env })
  expect(verified).toMatchObject({
    code: 0,
    stdout: expect.stringMatching(/is unchanged: lane 1, 2026-01, \d+ movements\.\n$/),
  })
  const last = path.join(books.folder, listed.at(-1).file)
  expect((await manilla(['archive', 'bring-back', last], { env })).stdout).toMatch(/Lane 1: restored /)
})

// On Citus one login is both the owner and the service.
it.skipIf(citusUrl !== undefined)('refuses the login of the service, which cannot delete rows', async () => {
  const { database, folder } = await openBooks()
  const archive = ['archive', 'movements', '--folder', folder, '--keep-months', '1']
  const refused = await manilla(archive, { env: { DATABASE_URL: database.serviceUrl } })
  expect(refused).toMatchObject({ code: 1, stderr: expect.stringMatching(/MIGRATION_DATABASE_URL/) })
})

async function hasEnded(ended: Promise<unknown>): Promise<boolean> {
  const turn = new Promise<boolean>((resolve) => setTimeout(() => resolve(false), 5))
  return Promise.race([ended.then(() => true), turn])
}
