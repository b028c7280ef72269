// Saved recipients and the names of their banks, with a bank that the test plays.

import { describe, expect, it } from 'vitest'
import type { Resolver } from '#directory/resolve.ts'
import {
  approveRecipients,
  changeRecipient,
  importRecipients,
  saveRecipient,
  type Recipient,
  type RecipientOutcome,
} from '#payouts/recipients.ts'
import { createRecipientWork } from '#payouts/verify-recipients.ts'
import { assert, present } from '#platform/assert.ts'
import { statement } from '#platform/db/db.ts'
import { dayMs } from '#platform/durations.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { untilWaiting } from '#tests/support/locks.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

type Answer = Awaited<ReturnType<Resolver['account']>>

const clock = createFakeClock()
const service = await useService({ clock, roles: ['api'] })
const { ctx } = service
const tenant = service.business.tenants.staging
const user = await addPerson(service, { role: 'finance' })
const by = { kind: 'person' as const, name: user.email, address: '127.0.0.1' }
const manager = { businessId: service.business.id, personId: user.id, by }
const person = { manager, personId: user.id, name: 'Femi Finance', email: user.email }

const named = (accountName: string) => ({ kind: 'resolved', accountName }) as Answer
const silent = { kind: 'unavailable' } as Answer

function bank(answer: () => Answer | Promise<Answer>) {
  return { ctx, resolver: { account: () => Promise.resolve(answer()) } as unknown as Resolver }
}

function saved(outcome: RecipientOutcome): Recipient {
  assert(outcome.kind === 'saved', `the recipient was not saved: ${outcome.kind}`)
  return outcome.recipient
}

let made = 0
const newFields = () => ({
  kind: 'bank' as const,
  name: 'Landlord',
  institution: 'guaranty-trust-bank',
  accountNumber: String(2_000_000_100 + (made += 1)),
  tags: [],
})

async function saveAs(accountName: string, fields: ReturnType<typeof newFields>): Promise<Recipient> {
  const asked = bank(() => named(accountName))
  return saved(await saveRecipient(asked, tenant, person, fields))
}

/** What the audit log says of changes of a recipient by the service. */
async function noted(): Promise<unknown[]> {
  const sql = `select details::jsonb ->> 'says' as says from audit_entry
                where act = 'recipient.changed' and details::jsonb ->> 'says' is not null order by number`
  return (await asOwner<{ says: string }>(service.database, sql)).map(({ says }) => says)
}

describe('the name that the bank gave for a recipient', () => {
  it('stays when the user changes the tags while the bank does not answer', async () => {
    const fields = newFields()
    const { id } = await saveAs('ADA OBI', fields)
    const change = { ...fields, tags: ['rent'] }
    const changed = saved(
      await changeRecipient(
        bank(() => silent),
        tenant,
        person,
        id,
        { fields: change, shown: fields },
      ),
    )
    expect(changed).toMatchObject({ tags: ['rent'], accountName: 'ADA OBI', changedAt: null })
    clock.advance(dayMs)
    await createRecipientWork(bank(() => named('BOLA ADE')))(tenant.lane)
    const [found] = await asOwner(service.database, `select account_name, changed_at from recipient where id = '${id}'`)
    expect(found).toMatchObject({ account_name: 'BOLA ADE', changed_at: new Date(clock.now()) })
    expect(await noted()).toEqual(['the bank gives another name'])
  })

  it('is not taken for the new account when a user moved the recipient while the bank was asked', async () => {
    const before = await noted()
    const fields = newFields()
    const { id } = await saveAs('ADA OBI', fields)
    clock.advance(91 * dayMs)
    const moved = { ...fields, accountNumber: newFields().accountNumber }
    const meanwhile = async () => {
      saved(
        await changeRecipient(
          bank(() => named('ADA OBI')),
          tenant,
          person,
          id,
          { fields: moved, shown: fields },
        ),
      )
      return named('BOLA ADE')
    }
    await createRecipientWork(bank(meanwhile))(tenant.lane)
    const [found] = await asOwner(service.database, `select account_name from recipient where id = '${id}'`)
    expect(found).toEqual({ account_name: 'ADA OBI' })
    expect(await noted()).toEqual(before)
  })

  it('is noted in the audit log as unknown when the bank no longer knows the account', async () => {
    saved(
      await saveRecipient(
        bank(() => named('ADA OBI')),
        tenant,
        person,
        newFields(),
      ),
    )
    const before = await noted()
    clock.advance(91 * dayMs)
    await createRecipientWork(bank(() => ({ kind: 'not-found' }) as Answer))(tenant.lane)
    const added = (await noted()).slice(before.length)
    expect(new Set(added)).toEqual(new Set(['the bank does not know the account']))
  })
})

const nothing = statement('test.nothing', 'select 1 as one')

describe('two transactions that write the same recipients at the same time', () => {
  /** Counts how often each transaction runs. One that loses a deadlock runs again. */
  function counted() {
    const turns: number[] = []
    const transaction: typeof ctx.db.transaction = (work, lane) => {
      const at = turns.push(0) - 1
      return ctx.db.transaction((tx) => {
        turns[at] = (turns[at] ?? 0) + 1
        return work(tx)
      }, lane)
    }
    return { turns, ctx: { ...ctx, db: { ...ctx.db, transaction } } }
  }

  it('wait for each other and do not deadlock, when two people approve payouts to them', async () => {
    const accounts: { institution: string; accountNumber: string }[] = []
    for (const accountNumber of [newFields().accountNumber, newFields().accountNumber]) {
      const before = newFields()
      const { id } = await saveAs('ADA OBI', before)
      const fields = { ...before, accountNumber }
      const asked = bank(() => named('ADA OBI'))
      saved(await changeRecipient(asked, tenant, person, id, { fields, shown: before }))
      accounts.push(fields)
    }
    // With many recipients PostgreSQL looks each account up in the order of the rows of the draft.
    await asOwner(
      service.database,
      `insert into recipient (lane, tenant_id, id, kind, name, institution, account_number, created_at, due_at)
       select ${tenant.lane}, '${tenant.id}', gen_random_uuid(), 'bank', 'Many', 'zenith-bank', n::text, now(), '2100-01-01'
         from generate_series(3000000001, 3000003000) as n; analyze recipient`,
    )
    const { turns, ctx: ours } = counted()
    const held = Promise.withResolvers<void>()
    const release = Promise.withResolvers<void>()
    const approve = (order: typeof accounts, meanwhile = () => Promise.resolve()) =>
      ours.db.transaction(async (tx) => {
        approveRecipients(tx, tenant, order, new Date(clock.now()))
        await tx.query(nothing, [])
        await meanwhile()
      }, tenant.lane)
    const hold = () => {
      held.resolve()
      return release.promise
    }
    const approvals = [approve([present(accounts[0], 'there are two accounts')], hold)]
    await held.promise
    approvals.push(approve(accounts))
    await untilWaiting(service.database, 1)
    approvals.push(approve(accounts.toReversed()))
    await untilWaiting(service.database, 2)
    release.resolve()
    await Promise.all(approvals)
    expect(turns).toEqual([1, 1, 1])
  })

  it('wait for each other and do not deadlock, when two people import them', async () => {
    const { turns, ctx: ours } = counted()
    const rows = Array.from({ length: 1_000 }, (_, index) => ({
      name: 'ADA OBI',
      bank: 'GTBank',
      account: String(4_000_000_000 + index),
      tags: '',
    }))
    const outcomes = await Promise.all(
      [rows, rows.toReversed()].map((order) => importRecipients(ours, tenant, person, order, ['NGN'])),
    )
    expect(outcomes.reduce((sum, outcome) => sum + (outcome.kind === 'imported' ? outcome.saved : 0), 0)).toBe(1_000)
    expect(turns).toEqual([1, 1])
  })
})
