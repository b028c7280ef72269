// Saved recipients and the names of their banks, with a bank that the test plays.

import { describe, expect, it } from 'vitest'
import type { Resolver } from '#directory/resolve.ts'
import { changeRecipient, saveRecipient, type Recipient, type RecipientOutcome } from '#payouts/recipients.ts'
import { createRecipientWork } from '#payouts/verify-recipients.ts'
import { assert } from '#platform/assert.ts'
import { dayMs } from '#platform/durations.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson } from '#tests/support/dashboard.ts'
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
