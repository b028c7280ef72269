// Reconciliation when a process dies, when two run, or when one loses its lease or the answer to a COMMIT: every page
// counts once.

import { describe, expect, it, onTestFinished } from 'vitest'
import type { StatementQuestion } from '#rails/statement.ts'
import { ledgerLine, payoutLine } from '#tests/support/listing-rail.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { startPostgresProxy } from '#tests/support/postgres-proxy.ts'
import { newFolder } from '#tests/support/run.ts'
import { succeeded } from '#tests/support/scripted-rail.ts'
import { minuteMs, useWorld } from './world.ts'

const world = useWorld()

type Row = { step: string; cursor: string | null; due_at: Date; from_at: Date | null }
const near = async (): Promise<Row | undefined> =>
  (await asOwner<Row>(world.database, "select * from rail_check where loop = 'near'"))[0]

function listTopUps(count: number): void {
  const { rail, clock } = world
  for (let at = 0; at < count; at += 1) {
    const line = { lineId: `E-${100 + at}`, atMs: clock.now(), balanceAfter: BigInt(1_000 * (at + 1)) }
    rail.lines.push(ledgerLine(line, 1_000n))
  }
}

const topUps = async (): Promise<string[]> => {
  const sql = "select subject from float_movement where kind = 'top_up' order by subject"
  return (await asOwner<{ subject: string }>(world.database, sql)).map(({ subject }) => subject)
}

/** Records the questions to the rail from now on. */
function watchPages(): StatementQuestion[] {
  const { rail } = world
  const asked: StatementQuestion[] = []
  const page = rail.statement.page.bind(rail.statement)
  rail.statement.page = (question) => {
    asked.push(question)
    return page(question)
  }
  return asked
}

describe('a process that died in the middle of a window', () => {
  it('leaves a lease that ends; another goes on at the page where it stopped', async () => {
    const { clock, database } = world
    listTopUps(6)
    const fromAt = new Date(clock.now() - minuteMs)
    const leaseEnd = new Date(clock.now() + minuteMs)
    await asOwner(
      database,
      `update rail_check set step = 'ledger', cursor = '2', from_at = $1, to_at = $2, due_at = $3 where loop = 'near'`,
      [fromAt, new Date(clock.now() + 1), leaseEnd],
    )
    await asOwner(database, "update rail_check set due_at = '2100-01-01' where loop = 'close'")
    const asked = watchPages()
    await world.start(['worker'])
    expect(asked).toEqual([])
    clock.advance(minuteMs)
    await untilHolds(async () => expect((await near())?.from_at).toBeNull())
    const places = asked.map(({ list, cursor }) => `${list} ${cursor}`)
    expect(places).toEqual(['ledger 2', 'ledger 4'])
    expect(await topUps()).toEqual(['E-102', 'E-103', 'E-104', 'E-105'])
  })
})

describe('two processes', () => {
  it('fetch each page once between them', async () => {
    const other = await world.start(['worker'])
    listTopUps(7)
    const asked = watchPages()
    await world.near()
    const ofOneWindow = asked.filter(({ toMs }) => toMs === asked[0]?.toMs)
    expect(new Set(ofOneWindow.map(({ list, cursor }) => `${list} ${cursor}`)).size).toBe(ofOneWindow.length)
    expect(await topUps()).toHaveLength(7)
    await world.stop(other)
  })

  it('do not write what one of them fetched when its lease was over', async () => {
    const { rail, clock, database, service } = world
    listTopUps(1)
    let isTaken = false
    rail.onPage = async () => {
      if (isTaken) return
      isTaken = true
      // Another process has the check, and is at another page by now.
      await asOwner(database, "update rail_check set due_at = '2100-01-01', cursor = 'other' where loop = 'near'")
    }
    await untilHolds(() => {
      clock.advance(minuteMs)
      expect(isTaken).toBe(true)
    })
    await untilHolds(() =>
      expect(service.lines.some((line) => line.includes('reconciliation exceeded its lease'))).toBe(true),
    )
    expect((await near())?.cursor).toBe('other')
  })
})

describe.each(['lose-request', 'lose-answer'] as const)('COMMITs are lost: %s', (fate) => {
  it('every listed row counts once all the same', async () => {
    const { rail, clock, database, service } = world
    const { reference, railReference } = await world.send()
    await world.stop(service)
    const proxy = await startPostgresProxy(database.serviceUrl, await newFolder('reconcile'))
    onTestFinished(() => proxy.dispose())
    rail.payout.onStatus = () => succeeded
    listTopUps(5)
    rail.lines.push(payoutLine({ reference: railReference, atMs: clock.now() }))
    world.service = await world.start(['api', 'worker'], proxy.url)
    let pages = 0
    rail.onPage = () => {
      pages += 1
      // The COMMITs of pages 1, 3, 5 and 7 are lost.
      if (pages % 2 === 1 && pages < 8) proxy.setCommitFate(fate)
    }
    clock.advance(5 * minuteMs)
    await untilHolds(async () => {
      clock.advance(minuteMs)
      expect(await topUps()).toHaveLength(5)
      expect((await near())?.from_at).toBeNull()
    })
    const [payment] = await asOwner(database, 'select status from payment where reference = $1', [reference])
    expect(payment).toEqual({ status: 'SUCCESS' })
    expect(await asOwner(database, "select 1 from float_movement where kind = 'payout'")).toHaveLength(1)
    expect(await asOwner(database, 'select 1 from rail_line')).toHaveLength(6)
    expect(await asOwner(database, 'select 1 from rail_break')).toEqual([])
  })
})
