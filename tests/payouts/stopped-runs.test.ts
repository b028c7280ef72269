// Scheduled payouts that cannot be sent within a day: the service stops them, and people learn of it.

import { randomUUID } from 'node:crypto'
import { afterAll, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { formatId, type Uuid } from '#platform/ids.ts'
import { expectSuccess } from '#tests/support/client.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson, below, type TestPerson } from '#tests/support/dashboard.ts'
import { startFakeSmtp } from '#tests/support/fakes/smtp-server.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'
import { useService } from '#tests/support/service.ts'

// Thursday 15 January 2026, 10:30 in Lagos.
const clock = createFakeClock()
const smtp = await startFakeSmtp()
afterAll(() => smtp.close())
const service = await useService({ clock, settings: { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' } })
const owner = (business: Uuid, strong = {}) => addPerson(service, { role: 'owner', business, ...strong })

/** Schedules a payout of the next day at 09:00 in Lagos, every week. */
async function schedule(person: TestPerson, here: string, amount = '1,500.00'): Promise<{ id: string; date: string }> {
  const date = new Date(clock.now() + hourMs + dayMs).toISOString().slice(0, 10)
  const rows = [{ amount, bank: 'GTBank', account: '2000000001', name: 'ADA OBI' }]
  const body = { key: randomUUID(), title: 'Rent', rows }
  const { id } = expectSuccess(await person.post(`${here}/payout-drafts`, body))
  const terms = { repeats: 'weekly', date, time: '09:00' }
  expectSuccess(await person.post(`${here}/payout-drafts/${id}/schedule`, terms))
  return { id, date }
}

function goToRun(date: string): void {
  clock.set(Date.parse(`${date}T08:00:00.000Z`) - clock.now())
}

type Run = { id: Uuid; status: string; isHeld: boolean }

async function runOf(id: string): Promise<Run | undefined> {
  const sql = `select id, status, held_since is not null as "isHeld" from payout_draft where key like '${id}-%'`
  return (await asOwner<Run>(service.database, sql))[0]
}

it('tells people of a run that was stopped because payouts were paused for a day, until it is edited', async () => {
  const { business } = await service.addBusiness('Paused')
  const here = below({ ...service, business }, 'staging')
  const maker = await owner(business.id)
  const { id, date } = await schedule(maker, here)
  expectSuccess(await maker.post(`${here}/pause`, { isPaused: true, reason: 'A check.' }))
  goToRun(date)
  await untilHolds(async () => expect((await runOf(id))?.status).toBe('approved'))
  clock.advance(dayMs + minuteMs)
  await untilHolds(async () => expect((await runOf(id))?.status).toBe('rejected'))

  // Sessions may have ended since.
  const now = await owner(business.id)
  await asOwner(service.database, `update payout_draft set maker_id = '${now.id}' where key like '${id}-%'`)
  const alerts = async () =>
    expectSuccess(await now.get(`${here}/alerts`)).alerts.map(({ says }: { says: string }) => says)
  const stopped = `“Rent, ${date}” was stopped. The run was more than a day late. Nothing was sent. Edit it again to send it or to discard it.`
  expect(await alerts()).toContain(stopped)
  const draft = formatId('payoutDraft', present(await runOf(id), 'there is a run').id)
  expectSuccess(await now.post(`${here}/payout-drafts/${draft}/withdraw`))
  expect(await alerts()).not.toContain(stopped)
})

it('mails those who want to know of failed payouts that a run of production was stopped, once', async () => {
  const { business } = await service.addBusiness('Empty')
  const here = below({ ...service, business }, 'production')
  const maker = await owner(business.id, { hasFactor: true, steppedUp: true })
  const viewer = await addPerson(service, { role: 'viewer', business: business.id })
  const { id, date } = await schedule(maker, here)
  goToRun(date)
  await untilHolds(async () => expect((await runOf(id))?.isHeld).toBe(true))
  clock.advance(dayMs + 2 * minuteMs)
  const mails = (email: string) =>
    smtp.mails.filter(({ to, headers }) => to === email && /was stopped/.test(headers.get('subject') ?? ''))
  await untilHolds(() => expect(mails(maker.email)).toHaveLength(1))
  expect(mails(maker.email)[0]?.headers.get('subject')).toContain('Payout of ')
  expect(mails(maker.email)[0]?.text).toContain('The balance did not cover')
  expect(mails(viewer.email)).toEqual([])
})

describe('a run that waits for the balance', () => {
  async function startWaiting() {
    const { business } = await service.addBusiness('Waiting')
    const here = below({ ...service, business }, 'staging')
    const { id, date } = await schedule(await owner(business.id), here, '2,000,000,000.00')
    goToRun(date)
    await untilHolds(async () => expect((await runOf(id))?.isHeld).toBe(true))
    const person = await owner(business.id)
    async function act(name: string): Promise<void> {
      const body = name === 'skip' ? { runAt: `${date}T08:00:00.000Z` } : {}
      expectSuccess(await person.post(`${here}/payout-schedules/${id}/${name}`, body))
    }
    /** Covers the run, and lets the time pass after which the workers try it again. */
    async function fund(): Promise<void> {
      for (let part = 0; part < 3; part += 1)
        expectSuccess(await person.post(`${here}/v1/sandbox/balance/fund`, { currency: 'NGN', amount: 99_999_999_900 }))
      clock.advance(2 * minuteMs)
    }
    return { id, act, fund }
  }
  const paymentsOf = (id: string) => asOwner(service.database, `select 1 from payment where reference like '${id}-%'`)

  it('is not sent while its schedule is paused, and is sent when the schedule is resumed', async () => {
    const { id, act, fund } = await startWaiting()
    await act('pause')
    expect(await runOf(id)).toBeUndefined()
    await fund()
    await act('resume')
    await untilHolds(async () => expect((await runOf(id))?.status).toBe('done'))
    expect(await paymentsOf(id)).toHaveLength(1)
  })

  it.each([['end'], ['skip']])('is not sent after a person chose to %s', async (name) => {
    const { id, act, fund } = await startWaiting()
    await act(name)
    await fund()
    const other = await startWaiting()
    await other.fund()
    await untilHolds(async () => expect((await runOf(other.id))?.status).toBe('done'))
    expect(await runOf(id)).toBeUndefined()
    expect(await paymentsOf(id)).toEqual([])
  })
})
