// Erases a customer while money and requests come, and when the process is killed in the middle.

import { describe, expect, it } from 'vitest'
import { theService, type Context, type Tenant } from '#platform/context.ts'
import type { Db } from '#platform/db/db.ts'
import { newUuid } from '#platform/ids.ts'
import { createLanes, type Lane } from '#platform/db/lane.ts'
import { createSecretBox } from '#platform/secrets.ts'
import { createAccounts } from '#virtual-accounts/service.ts'
import { findBank } from '#directory/banks.ts'
import { eraseCustomer, type EraseOutcome } from '#privacy/erase.ts'
import { createRailRegistry } from '#rails/registry.ts'
import { createSimulator } from '#rails/simulator/simulator.ts'
import { settle } from '#tests/deposits/requests.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import { testSecretKey, useService } from '#tests/support/service.ts'
import { whereFound } from './everywhere.ts'
import { closeAccount, newPerson, payInto, type Person } from './people.ts'

// Refunds of the simulator stay under way for ten minutes, so that a test decides when one ends.
const service = await useService({ settings: { SANDBOX_SETTLE_MS: '600000' } })
const { staging: client, database, business } = service
const tenant: Tenant = business.tenants.staging
const live: Tenant = business.tenants.production

function erase({ reference }: Person, ctx: Context = service.ctx): Promise<EraseOutcome> {
  return eraseCustomer(ctx, tenant, { reference, note: 'test' })
}

const own = ({ texts, identity: { payer, payerNumber, narration } }: Person) =>
  texts.filter((text) => ![payer, payerNumber, narration].includes(text))

describe('it is refused', () => {
  const nothing = { openAccounts: [], openings: 0, pendingDeposits: 0, openNotices: 0 }

  it('while an account of the customer is open', async () => {
    const person = await newPerson(client, 'Gbemi')
    const blockers = { ...nothing, openAccounts: [person.accountNumber] }
    expect(await erase(person)).toEqual({ kind: 'refused', blockers })
    expect(expectSuccess(await client.get(`/v1/customers/${person.reference}`)).firstName).toBe('Gbemifirst')
  })

  it('while a deposit of the customer is PENDING, and no longer when it has ended', async () => {
    const person = await newPerson(client, 'Hadiza')
    const pending = await payInto(client, person, { status: 'PENDING' })
    await closeAccount(client, person)
    expect(await erase(person)).toEqual({ kind: 'refused', blockers: { ...nothing, pendingDeposits: 1 } })
    await settle(client, pending, 'SUCCESSFUL')
    expect((await erase(person)).kind).toBe('erased')
    expect(await whereFound(database, person.texts)).toEqual([])
  })

  it('while an account is being opened for the customer', async () => {
    const person = await newPerson(client, 'Ife')
    await closeAccount(client, person)
    const opening = `insert into virtual_account_opening
        (lane, tenant_id, id, type, claim, reference, customer_id, bank_slug, account_name, created_at, due_at)
      select lane, tenant_id, $2, 'static', 'static x wema-bank', reference, id, 'wema-bank', 'Name', now(), now() + '1 hour'
        from customer where reference = $1`
    await asOwner(database, opening, [person.reference, newUuid(Date.now())])
    expect(await erase(person)).toEqual({ kind: 'refused', blockers: { ...nothing, openings: 1 } })
  })

  it('while money for an account of the customer waits for a person', async () => {
    const person = await newPerson(client, 'Jide')
    await closeAccount(client, person)
    const notice = `insert into inbound_notice values ('staging', 'bank', $1, 'SUCCESSFUL', $1, 'NGN', 1, 'a', 'b', 'c', 'd',
      now(), now())`
    await asOwner(database, notice, [person.accountNumber])
    expect(await erase(person)).toEqual({ kind: 'refused', blockers: { ...nothing, openNotices: 1 } })
  })

  it('for an unknown customer, and for one of another environment', async () => {
    const person = await newPerson(client, 'Kemi')
    await closeAccount(client, person)
    const asked = { reference: person.reference, note: 'test' }
    const elsewhere = await eraseCustomer(service.ctx, business.tenants.production, asked)
    expect(elsewhere).toEqual({ kind: 'not-found' })
  })
})

describe('beside traffic', () => {
  it('names the customer nowhere, whatever was paid while it was erased', async () => {
    const person = await newPerson(client, 'Lola')
    await Promise.all(Array.from({ length: 20 }, () => payInto(client, person)))
    await closeAccount(client, person)
    const [outcome, ...late] = await Promise.all([
      erase(person),
      ...Array.from({ length: 40 }, () => payInto(client, person)),
    ])
    expect(outcome).toMatchObject({ kind: 'erased' })
    expect(new Set(late.map(({ status }) => status))).toEqual(new Set(['FAILED']))
    expect(await whereFound(database, own(person))).toEqual([])
    // The money of a person who paid after the closing goes back, and the person stays named until then.
    const again = await erase(person)
    expect(again).toMatchObject({ kind: 'erased', erasure: { again: true } })
    expect(again.kind === 'erased' && again.erasure.toReturn.toSorted()).toEqual(
      late.map(({ reference }) => reference).toSorted(),
    )
  })

  it('opens no account for a customer who is erased after the request was read', async () => {
    const reference = 'PERSON-READ'
    const names = { firstName: 'Musafirst', lastName: 'Musalast' }
    expectSuccess(await service.production.post('/v1/customers', { reference, ...names }))
    const { ctx } = service
    const lanes = createLanes(ctx)
    const erasedMeanwhile = (): Lane => {
      const lane = lanes.of(live.lane)
      const submit: Lane['submit'] = async (operation, command) => {
        await eraseCustomer(ctx, live, { reference, note: 'test' })
        return lane.submit(operation, command)
      }
      return { ...lane, submit }
    }
    const port = { ...createSimulator({ clock: ctx.clock, settleMs: 0 }), name: 'simulated production' }
    const rails = createRailRegistry({ clock: ctx.clock, settleMs: 0, rails: { production: [port] } })
    const box = createSecretBox(testSecretKey)
    const accounts = createAccounts({ ctx, rails, laneOf: erasedMeanwhile, box, findBank })
    const wanted = { customerReference: reference, bankSlug: undefined, accountName: undefined }
    expect(await accounts.openStatic(live, wanted)).toEqual({ kind: 'erased-customer' })
    await lanes.drain()
    expect(await whereFound(database, Object.values(names))).toEqual([])
  })
})

describe('an erasure', () => {
  it('that was killed continues, with the same result', async () => {
    const person = await newPerson(client, 'Ngozi')
    for (let made = 0; made < 3; made++) await payInto(client, person)
    await closeAccount(client, person)
    await expect(erase(person, dyingAfter(1))).rejects.toThrow('killed')
    // The customer is erased, and the deposits are not yet.
    expect(await whereFound(database, person.texts)).toContain('deposit: Ngozipayer')
    expect(await whereFound(database, [person.identity.email])).toEqual([`event: ${person.identity.email}`])
    await expect(erase(person, dyingAfter(1))).rejects.toThrow('killed')
    const outcome = await erase(person)
    expect(outcome).toMatchObject({ kind: 'erased', erasure: { again: true, deposits: 3, events: 3 } })
    expect(await whereFound(database, person.texts)).toEqual([])
  })

  it('goes through more deposits than one transaction takes', async () => {
    const person = await newPerson(client, 'Obinna')
    const { reference } = await payInto(client, person)
    await closeAccount(client, person)
    const copies = `insert into deposit
      select (jsonb_populate_record(d, jsonb_build_object('id', gen_random_uuid(), 'ordinal', 1000 + n,
               'provider_id', 'copy ' || n))).*
        from deposit d cross join generate_series(1, 450) as n where d.customer_reference = $1`
    await asOwner(database, copies, [person.reference])
    const outcome = await erase(person)
    expect(outcome).toMatchObject({ kind: 'erased', erasure: { deposits: 451, events: 1 } })
    expect(await whereFound(database, person.texts)).toEqual([])
    expect(expectSuccess(await client.get(`/v1/deposits/${reference}`)).senderAccountName).toBe('erased')
  })
})

/** A process that dies after this many commits. */
function dyingAfter(commits: number): Context {
  let left = commits
  const transaction: Db['transaction'] = (work, lane) =>
    left-- > 0 ? service.ctx.db.transaction(work, lane) : Promise.reject(new Error('killed'))
  return { ...service.ctx, by: theService, db: { ...service.ctx.db, transaction } }
}
