// Lists of deposits: every question gets the same answer as going through all deposits by hand.

import { expect, it } from 'vitest'
import type { Tenant } from '#platform/context.ts'
import type { Deposit, DepositStatus } from '#deposits/deposit.ts'
import type { ListQuestion } from '#deposits/list.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { createRoom } from './room.ts'

const database = await useTestDatabase()
const room = createRoom(database)
const { clock } = room.ctx
const statuses: DepositStatus[] = ['PENDING', 'SUCCESSFUL', 'FAILED', 'SUCCESSFUL', 'FAILED', 'PENDING', 'SUCCESSFUL']

/** Makes one deposit a second, to two accounts of two customers. */
async function fill(tenant: Tenant): Promise<Deposit[]> {
  const numbers = [await room.openStatic(tenant), await room.openStatic(tenant)]
  const made: Deposit[] = []
  for (const [index, status] of [...statuses, ...statuses].entries()) {
    clock.advance(1_000)
    const accountNumber = numbers[index % 3 === 0 ? 0 : 1] ?? ''
    const outcome = await room.deposits.receive('production', room.notice({ accountNumber, status }))
    if (outcome.kind !== 'recorded') throw new Error(outcome.kind)
    made.push(outcome.deposit)
  }
  return made
}

/** Two businesses. The second one receives money under the account numbers and customers of the first. */
const tenants = [await room.newTenant(), await room.newTenant()] as const
const all = [await fill(tenants[0]), await fill(tenants[1])] as const
const [first] = await asOwner<{ numbers: string[]; accounts: string[]; customers: string[] }>(
  database,
  `select array_agg(ordinal) as numbers, array_agg(account_number) as accounts, array_agg(customer_reference) as customers
     from deposit where tenant_id = $1`,
  [tenants[0].id],
)
await asOwner(
  database,
  `update deposit d set account_number = o.account, customer_reference = o.customer
     from unnest($3::bigint[], $4::text[], $5::text[]) as o (number, account, customer)
    where d.lane = $1 and d.tenant_id = $2 and d.ordinal = o.number`,
  [tenants[1].lane, tenants[1].id, first?.numbers, first?.accounts, first?.customers],
)

function wanted({ status, accountNumber, customerReference, from, before }: Asked): Deposit[] {
  return all[0]
    .filter((one) => status === undefined || one.status === status)
    .filter((one) => accountNumber === undefined || one.accountNumber === accountNumber)
    .filter((one) => customerReference === undefined || one.customerReference === customerReference)
    .filter((one) => from === undefined || one.createdAt >= from)
    .filter((one) => before === undefined || one.createdAt < before)
    .toReversed()
}

const [some, others] = [all[0][0], all[0][1]]
type Asked = Omit<ListQuestion, 'page' | 'limit'>
const questions: Asked[] = []
for (const status of [undefined, ...new Set(statuses)])
  for (const accountNumber of [undefined, some?.accountNumber, others?.accountNumber])
    for (const customerReference of [undefined, some?.customerReference ?? undefined])
      for (const from of [undefined, all[0][3]?.createdAt])
        for (const before of [undefined, all[0][4]?.createdAt, all[0][9]?.createdAt])
          questions.push({ status, accountNumber, customerReference, from, before })

it('each question has its deposits, the latest first, on pages of any size, and how many there are', async () => {
  expect(some?.customerReference).not.toBeNull()
  const ids = (deposits: Deposit[]): string[] => deposits.map(({ id }) => id)
  for (const asked of questions) {
    const expected = wanted(asked)
    const pages = await Promise.all([1, 2].map((page) => room.deposits.list(tenants[0], { ...asked, page, limit: 3 })))
    expect(pages.map(({ deposits, total }) => [ids(deposits), total])).toEqual(
      [0, 3].map((offset) => [ids(expected.slice(offset, offset + 3)), expected.length]),
    )
  }
})

it('the last payment to an account that failed is the account’s own, and the latest', async () => {
  const failed = all[0].filter(({ status }) => status === 'FAILED')
  for (const { accountNumber } of [some, others] as Deposit[]) {
    const last = failed.findLast((one) => one.accountNumber === accountNumber)
    expect((await room.deposits.lastFailed(tenants[0], accountNumber))?.id).toBe(last?.id)
  }
  expect(await room.deposits.lastFailed(tenants[0], await room.openStatic(tenants[0]))).toBeUndefined()
})
