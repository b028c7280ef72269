// Which PENDING deposits the service asks about, what a provider may answer, and which answer moves which deposit.

import { beforeEach, describe, expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import { newUuid } from '#platform/ids.ts'
import type { ReceiveCommand, ReceiveOutcome, Deposit } from '#deposits/deposit.ts'
import type { DepositNotice, InboundNotices, Unknown } from '#rails/rail.ts'
import { exceptionsAbout } from '#tests/review/open.ts'
import { balancesOf } from '#tests/ledger/books.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { silentInbound } from './refunding-bank.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const hourMs = 3_600_000
const questions: string[] = []
let answer: (own: DepositNotice) => Promise<{ kind: 'told'; notice: DepositNotice } | Unknown>
const told = new Map<string, DepositNotice>()
const inbound: InboundNotices = {
  ...silentInbound('asked'),
  ask({ providerId }) {
    questions.push(providerId)
    const notice = told.get(providerId)
    if (notice === undefined) throw new Error('nobody told of it')
    return answer(notice)
  },
}
const room = createRoom(database, [{ name: 'a rail for payouts' }, { name: 'asked rail', inbound }])
const { ctx } = room
let tenant: Tenant
let number: string

beforeEach(async () => {
  await asOwner(database, 'update deposit set due_at = null')
  tenant = await room.newTenant()
  number = await room.openStatic(tenant)
  questions.length = 0
  answer = () => Promise.resolve({ kind: 'unknown', detail: 'silence' })
})

async function pending(): Promise<DepositNotice> {
  const notice = room.notice({ provider: 'asked', accountNumber: number, amount: 10_000, status: 'PENDING' })
  told.set(notice.providerId, notice)
  await room.deposits.receive('production', notice)
  return notice
}

async function rowOf({ providerId }: DepositNotice): Promise<{ status: string; due_at: Date | null; id: string }> {
  const sql = 'select status, due_at, id from deposit where provider_id = $1'
  const [row] = await asOwner<{ status: string; due_at: Date | null; id: string }>(database, sql, [providerId])
  if (row === undefined) throw new Error('there is no such deposit')
  return row
}

const pollDue = () => room.deposits.poll(tenant.lane)
const available = async () => (await balancesOf(ctx.db, tenant))['available']

describe('the deposits that the service asks about', () => {
  it('are the longest due, at most thirty-two at once, from exactly an hour on', async () => {
    const notices: DepositNotice[] = []
    for (let times = 0; times < 34; times++) {
      notices.push(await pending())
      ctx.clock.advance(1)
    }
    const ids = notices.map(({ providerId }) => providerId)
    ctx.clock.advance(hourMs - 35)
    expect(await pollDue()).toBe(0)
    ctx.clock.advance(1)
    expect(await pollDue()).toBe(1)
    expect(questions).toEqual(ids.slice(0, 1))
    ctx.clock.advance(hourMs - 1)
    expect(await pollDue()).toBe(32)
    expect(new Set(questions)).toEqual(new Set(ids.slice(0, 33)))
    expect(await pollDue()).toBe(1)
    expect(questions.at(-1)).toBe(ids.at(-1))
    expect(questions).toHaveLength(34)
  })
})

describe('two that look at once', () => {
  it('ask about each once', async () => {
    for (let times = 0; times < 10; times++) await pending()
    ctx.clock.advance(hourMs)
    await Promise.all([pollDue(), pollDue()])
    expect(questions).toHaveLength(10)
  })
})

describe('the answers of a provider', () => {
  it('is about the money that it was asked about, whatever else it names', async () => {
    const notice = await pending()
    answer = (own) => {
      const named = { provider: 'other', providerId: 'other', account: { railReference: 'a reference' } }
      return Promise.resolve({ kind: 'told', notice: { ...own, ...named, status: 'SUCCESSFUL' } })
    }
    ctx.clock.advance(hourMs)
    await pollDue()
    expect(await rowOf(notice)).toMatchObject({ status: 'SUCCESSFUL', due_at: null })
    expect(await available()).toBe(9_900n)
  })

  it('is about the same money if it dates the payment before its account was opened', async () => {
    const notice = await pending()
    answer = (own) =>
      Promise.resolve({
        kind: 'told',
        notice: { ...own, occurredAtMs: own.occurredAtMs - 500, status: 'SUCCESSFUL' },
      })
    ctx.clock.advance(hourMs)
    await pollDue()
    expect(await rowOf(notice)).toMatchObject({ status: 'SUCCESSFUL' })
  })

  it('with another account number is a contradiction', async () => {
    const notice = await pending()
    answer = (own) =>
      Promise.resolve({ kind: 'told', notice: { ...own, account: { number: '0000000000' }, status: 'SUCCESSFUL' } })
    ctx.clock.advance(hourMs)
    await pollDue()
    expect(await rowOf(notice)).toMatchObject({ status: 'PENDING' })
    expect(await exceptionsAbout(database, `production:asked:${notice.providerId}`)).toMatchObject([
      { kind: 'notice-contradicted' },
    ])
  })

  it('that fail change nothing, and the provider is asked again an hour later', async () => {
    const notice = await pending()
    answer = () => Promise.reject(new Error('the wire broke'))
    ctx.clock.advance(hourMs)
    expect(await pollDue()).toBe(1)
    expect(await rowOf(notice)).toMatchObject({ status: 'PENDING', due_at: new Date(ctx.clock.now() + hourMs) })
  })
})

describe('the review item of an operator', () => {
  it('which money its provider has called PENDING for a day, to the millisecond', async () => {
    const notice = await pending()
    const about = () => exceptionsAbout(database, `production:asked:${notice.providerId}`)
    ctx.clock.advance(24 * hourMs - 1)
    await pollDue()
    expect(await about()).toEqual([])
    await asOwner(database, 'update deposit set due_at = created_at where provider_id = $1', [notice.providerId])
    ctx.clock.advance(1)
    await pollDue()
    expect(await about()).toMatchObject([
      {
        kind: 'deposit-unsettled',
        environment: 'production',
        fact: 'asked has called it PENDING for a day',
        tenant_id: tenant.id,
        amount: '10000',
      },
    ])
  })
})

describe('a command that is decided beside those of others', () => {
  const decide = (commands: ReceiveCommand[]): Promise<ReceiveOutcome[]> =>
    ctx.db.transaction((tx) => room.receiving.run(tx, commands), tenant.lane)

  it('moves nothing of another business', async () => {
    const [notice, other] = [await pending(), await room.newTenant()]
    const { id } = await rowOf(notice)
    const deposit = { id: id as Deposit['id'], accountNumber: number, paidAt: new Date(ctx.clock.now()) }
    ctx.clock.advance(hourMs)
    const poll = { kind: 'poll' as const, deposit, canBeAsked: true }
    const settle = { kind: 'settle' as const, deposit, status: 'SUCCESSFUL' as const }
    const outcomes = await decide([
      { ...poll, tenant: other },
      { ...settle, tenant: other },
      { ...poll, tenant },
      { ...poll, tenant },
      { ...settle, tenant },
      { ...poll, tenant },
    ])
    const kinds = outcomes.map(({ kind }) => kind)
    expect(kinds).toEqual(['not-found', 'not-found', 'ask', 'unchanged', 'settled', 'unchanged'])
    expect([await available(), (await balancesOf(ctx.db, other))['available']]).toEqual([9_900n, 0n])
  })

  it('about a deposit that does not exist changes nothing', async () => {
    const deposit = { id: newUuid(ctx.clock.now()), accountNumber: number, paidAt: new Date(ctx.clock.now()) }
    const outcomes = await decide([
      { kind: 'poll', tenant, deposit, canBeAsked: true },
      { kind: 'settle', tenant, deposit, status: 'SUCCESSFUL' },
    ])
    expect(outcomes).toEqual([{ kind: 'not-found' }, { kind: 'not-found' }])
  })
})
