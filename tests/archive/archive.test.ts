// Months of movements in archive files: the proofs of the files, and the books without them.

import { execFileSync } from 'node:child_process'
import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'
import { gunzipSync } from 'node:zlib'
import { describe, expect, it } from 'vitest'
import { archiveMonths } from '#archive/archive.ts'
import { archiveSources } from '#archive/file.ts'
import { removeMonth } from '#archive/remove.ts'
import { sealMonth } from '#archive/seal.ts'
import { monthOf } from '#archive/source.ts'
import { verifyAudit } from '#audit/verify.ts'
import { present } from '#platform/assert.ts'
import type { Context } from '#platform/context.ts'
import { inLane, type Db } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney } from '#platform/money.ts'
import { openBook } from '#ledger/post.ts'
import { acceptedPostings, receivedPostings } from '#ledger/chart.ts'
import { asOwner } from '#tests/support/owner.ts'
import { openBooks, today, type Books } from './books.ts'

async function movementsIn({ database }: Books, where = 'true'): Promise<number> {
  const [row] = await asOwner<{ count: string }>(database, `select count(*) from ledger_movement where ${where}`)
  return Number(row?.count)
}

async function everything({ database }: Books): Promise<unknown[]> {
  const read = (table: string, key: string) =>
    asOwner(database, `select * from ${table} order by lane, tenant_id, ${key}`)
  return [await read('ledger_movement', 'id'), await read('ledger_account', 'currency, name')]
}

/** A run that has read that March is the newest archived month, and has not sealed April yet. */
async function sealingApril({ folder, ctx }: Books): Promise<{ seal: (as: Context) => Promise<void> }> {
  const noun = archiveSources.movements
  const lane = inLane(ctx.db, 1)
  const previous = (await noun.readSeals(lane)).at(-1)?.digest ?? null
  const month = monthOf(new Date('2026-04-01T00:00:00Z'))
  return { seal: (as) => sealMonth(as, { noun, lane, month }, { folder, tell: () => undefined, previous }) }
}

/** `at` counts the queries that choose the next month, from 0. `meanwhile` runs before that query. */
function archiveWhile({ folder, ownerCtx }: Books, at: number, meanwhile: () => Promise<unknown>): Promise<unknown> {
  let chosen = 0
  const query: Db['query'] = async (what, values) => {
    if (/^ledger\.(seals|oldest_movement)$/.test(what.name) && chosen++ === at) await meanwhile()
    return ownerCtx.db.query(what, values)
  }
  const options = { folder, monthsKept: 1, restsPerWork: 0, tell: () => undefined }
  return archiveMonths({ ...ownerCtx, db: { ...ownerCtx.db, query } }, 'movements', options)
}

describe('months that are archived', () => {
  it('leave the table, and the books verify as before, whether tenants are small or large', async () => {
    const books = await openBooks()
    expect(await books.breaches()).toEqual([])
    const before = await movementsIn(books)
    const months = await books.archive()
    expect(months.map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03', '2026-04'])
    const archived = months.reduce((sum, { rows }) => sum + Number(rows), 0)
    expect(archived).toBeGreaterThan(1_000)
    expect(await movementsIn(books)).toBe(before - archived)
    expect(await movementsIn(books, `created_at < '2026-05-01T00:00:00Z'`)).toBe(0)
    for (const rowsPerPage of [300, 20_000]) expect(await books.breaches({ rowsPerPage })).toEqual([])
    expect(await books.breaches({ rowsPerSnapshot: 0, rowsPerPage: 300 })).toEqual([])
  })

  it('are proved by their files, and chained by digests that the audit log knows', async () => {
    const books = await openBooks()
    const months = await books.archive()
    for (const { lane, month, rows } of months) {
      const file = await books.fileOf(month)
      expect(await books.prove(file)).toEqual({ file, noun: 'movements', lane, month, rows, faults: [] })
    }
    expect((await verifyAudit(books.ctx)).fault).toBeUndefined()
    const acts = await asOwner<{ act: string; details: string }>(
      books.database,
      `select act, details from audit_entry where act like 'archive.%' order by number`,
    )
    expect(acts.map(({ act }) => act)).toEqual(months.flatMap(() => ['archive.sealed', 'archive.removed']))
    const told = acts.filter(({ act }) => act === 'archive.sealed').map(({ details }) => JSON.parse(details).digest)
    expect(told).toEqual(months.map(({ digest }) => digest.toString('hex')))
  })

  it('can be read and proved without this program', async () => {
    const books = await openBooks()
    const [{ month, digest, rows } = { month: '', digest: Buffer.alloc(0), rows: 0n }] = await books.archive()
    const file = await books.fileOf(month)
    const shell = (command: string): string => execFileSync('sh', ['-c', command, 'sh', file]).toString().trim()
    expect(shell('zcat "$1" | head -n -1 | sha256sum')).toBe(`${digest.toString('hex')}  -`)
    const [header = '', first = '', ...rest] = gunzipSync(await readFile(file))
      .toString()
      .split('\n')
    expect(JSON.parse(header)).toMatchObject({ format: 'manilla-archive/1', noun: 'movements', lane: 1, month })
    expect(JSON.parse(first)).toHaveLength(JSON.parse(header).columns.length)
    expect(JSON.parse(rest.at(-2) ?? '')).toMatchObject({ rows: rows.toString(), digest: digest.toString('hex') })
  })

  it('are the past months that need not be kept; a second run has nothing to do', async () => {
    const books = await openBooks()
    expect((await books.archive({ monthsKept: 4 })).map(({ month }) => month)).toEqual(['2026-01'])
    expect(await books.archive({ monthsKept: 4 })).toEqual([])
    expect((await books.archive({ monthsKept: 3 })).map(({ month }) => month)).toEqual(['2026-02'])
    expect(await books.breaches()).toEqual([])
  })

  it('are restored unchanged, the newest first', async () => {
    const books = await openBooks()
    const before = await everything(books)
    const months = await books.archive()
    const [oldest, newest] = [await books.fileOf('2026-01'), await books.fileOf('2026-04')]
    await expect(books.bringBack(oldest)).rejects.toThrow(
      '2026-01 is not the newest archived month of movements of lane 1',
    )
    expect(await books.bringBack(newest)).toMatchObject({ month: '2026-04', rows: months.at(-1)?.rows })
    expect(await books.breaches()).toEqual([])
    for (const { month } of months.slice(0, -1).toReversed()) await books.bringBack(await books.fileOf(month))
    expect(await everything(books)).toEqual(before)
    expect(await books.breaches()).toEqual([])
    expect((await books.archive()).map(({ digest }) => digest)).toEqual(months.map(({ digest }) => digest))
  })

  it.each(['rows', 'end'] as const)('stay sealed if another process archives them before their %s', async (step) => {
    const books = await openBooks()
    await books.archive()
    const [file, before] = [await books.fileOf('2026-04'), await movementsIn(books)]
    const outcome = books.bringBack(file, () => books.archive(), step)
    await expect(outcome).rejects.toThrow('Another process is archiving this month')
    expect((await books.months()).at(-1)).toMatchObject({ month: '2026-04' })
    expect(await movementsIn(books)).toBe(before)
    expect(await books.breaches()).toEqual([])
  })

  it.each(['rows', 'end'] as const)(
    'are restored once if another process restores them before their %s',
    async (step) => {
      const books = await openBooks()
      await books.archive({ monthsKept: 4 })
      const file = await books.fileOf('2026-01')
      const outcome = books.bringBack(file, () => books.bringBack(file), step)
      await expect(outcome).rejects.toThrow('Another process has restored this month.')
      expect(await books.months()).toEqual([])
      expect(await books.breaches()).toEqual([])
    },
  )

  it('stay sealed if another process seals the next month while they are restored', async () => {
    const books = await openBooks()
    await books.archive({ monthsKept: 2 })
    const file = await books.fileOf('2026-03')
    const next = await sealingApril(books)
    await expect(books.bringBack(file, () => next.seal(books.ownerCtx))).rejects.toThrow(
      'Another process is archiving this month',
    )
    expect((await books.months()).map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03', '2026-04'])
    expect(await books.breaches()).toEqual([])
    await books.archive()
    expect(await books.breaches()).toEqual([])
  })

  it('are not followed by a month that is being sealed while they are restored', async () => {
    const books = await openBooks()
    await books.archive({ monthsKept: 2 })
    const file = await books.fileOf('2026-03')
    const next = await sealingApril(books)
    const db: Db = {
      ...books.ownerCtx.db,
      transaction: async (run, lane) => {
        await books.bringBack(file)
        return books.ownerCtx.db.transaction(run, lane)
      },
    }
    await expect(next.seal({ ...books.ownerCtx, db })).rejects.toThrow('Another process is restoring 2026-03')
    expect((await books.months()).map(({ month }) => month)).toEqual(['2026-01', '2026-02'])
    expect(await books.breaches()).toEqual([])
  })

  it('leave a business its entry numbers and balances, also if it has no other movements', async () => {
    const books = await openBooks()
    const [tenant] = books.tenants
    if (tenant === undefined) throw new Error('there are books')
    await asOwner(books.database, `delete from ledger_movement where created_at >= '2026-05-01' and tenant_id = $1`, [
      tenant.id,
    ])
    await asOwner(
      books.database,
      `update ledger_account a set debits = coalesce(s.debits, 0), credits = coalesce(s.credits, 0), movements = coalesce(s.movements, 0)
         from (select tenant_id, name, sum(debits) as debits, sum(credits) as credits, count(*) as movements from (
                 select tenant_id, debit as name, amount as debits, 0 as credits from ledger_movement
                  union all select tenant_id, credit, 0, amount from ledger_movement) as sides group by tenant_id, name) as s
        where a.tenant_id = s.tenant_id and a.name = s.name`,
    )
    const ledgerOnly = async () =>
      (await books.breaches({ rowsPerSnapshot: 0 })).filter(({ invariant }) =>
        /account|entries|archived/.test(invariant),
      )
    await books.archive()
    expect(await movementsIn(books, `tenant_id = '${tenant.id}'`)).toBe(0)
    expect(await ledgerOnly()).toEqual([])
    await books.ctx.db.transaction(async (tx) => {
      const book = await openBook(tx, [tenant.id])
      const cause = { id: newUuid(today), reference: 'R', atMs: today }
      book.post(tenant.id, 'NGN', cause, receivedPostings(toMoney(500), toMoney(10)))
      book.post(tenant.id, 'NGN', cause, acceptedPostings(toMoney(200), toMoney(10)))
    }, tenant.lane)
    expect(await ledgerOnly()).toEqual([])
  })

  it('may be archived by two processes at once', async () => {
    const books = await openBooks()
    await Promise.all([books.archive(), books.archive()])
    expect(await books.breaches()).toEqual([])
    expect(await movementsIn(books, `created_at < '2026-05-01T00:00:00Z'`)).toBe(0)
    const files = await Promise.all(['2026-01', '2026-02', '2026-03', '2026-04'].map((month) => books.fileOf(month)))
    expect((await readdir(path.join(books.folder, 'lane-00001'))).toSorted()).toEqual(
      files.map((file) => path.basename(file)),
    )
    for (const file of files) expect((await books.prove(file)).faults).toEqual([])
  })

  it.each([0, 1, 2, 3, 4, 5])('may be archived while another process archives them, before query %i', async (at) => {
    const books = await openBooks()
    await archiveWhile(books, at, () => books.archive())
    expect(await books.breaches()).toEqual([])
    const months = await books.months()
    expect(months.map(({ month }) => month)).toEqual(['2026-01', '2026-02', '2026-03', '2026-04'])
    for (const { month } of months) expect((await books.prove(await books.fileOf(month))).faults).toEqual([])
    expect(await readdir(path.join(books.folder, 'lane-00001'))).toHaveLength(months.length)
  })

  it('have one audit entry about their removal if two processes finish it', async () => {
    const books = await openBooks()
    await books.archive()
    const noun = archiveSources.movements
    const lane = inLane(books.ctx.db, 1)
    const readSeal = async () => present((await noun.readSeals(lane)).at(-1), 'April is sealed')
    const sealed = await readSeal()
    const readEarlier = { ...sealed, removed: 0n, removedAt: null }
    books.clock.advance(dayMs)
    const options = { folder: books.folder, tell: () => undefined, restsPerWork: 0 }
    await removeMonth(books.ownerCtx, { noun, lane, seal: readEarlier }, options)
    expect(await readSeal()).toEqual(sealed)
    const entries = await asOwner(
      books.database,
      `select 1 from audit_entry where act = 'archive.removed' and details like '%2026-04%'`,
    )
    expect(entries).toHaveLength(1)
  })

  it('verify while they are archived and movements are posted', async () => {
    const books = await openBooks()
    const [tenant] = books.tenants
    if (tenant === undefined) throw new Error('there are books')
    let posted = 0
    let archiving = true
    const posting = (async () => {
      while (archiving) {
        const atMs = today + dayMs + ++posted
        await books.ctx.db.transaction(async (tx) => {
          const book = await openBook(tx, [tenant.id])
          const cause = { id: newUuid(atMs), reference: 'R', atMs }
          book.post(tenant.id, 'NGN', cause, receivedPostings(toMoney(500), toMoney(10)))
        }, tenant.lane)
      }
    })()
    const found: unknown[] = []
    const proving = (async () => {
      while (archiving) {
        for (const rowsPerSnapshot of [0, 200_000]) {
          const breaches = await books.breaches({ rowsPerSnapshot, rowsPerPage: 100 })
          found.push(...breaches.filter(({ invariant }) => !invariant.includes('SUCCESSFUL deposit')))
        }
      }
    })()
    await books.archive()
    archiving = false
    await Promise.all([posting, proving])
    expect(found).toEqual([])
    expect(posted).toBeGreaterThan(0)
  })
})
