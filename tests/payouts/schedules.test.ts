// Schedules under a clock that the test moves, with two workers at once. Each run is paid once, or waits for a person.

import { randomUUID } from 'node:crypto'
import { afterAll, beforeEach, describe, expect, it } from 'vitest'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { parseId, type Uuid } from '#platform/ids.ts'
import { skipOnCitus } from '#tests/support/citus.ts'
import { expectError, expectSuccess } from '#tests/support/client.ts'
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
const mailSettings = { SMTP_URL: smtp.url(), MAIL_FROM: 'no-reply@pay.example' }
const service = await useService({ clock, settings: { SANDBOX_SETTLE_MS: '0', ...mailSettings } })
// A second process with workers on the same database.
await useService({ clock, database: service.database, roles: ['worker'], settings: mailSettings })
let made = 0

type Place = { here: string; owner: TestPerson; checker: TestPerson; drafts: string; schedules: string; business: Uuid }

/** A business of its own for each test, because the clock goes on. */
async function newPlace(policy: Record<string, unknown> = { mode: 'off' }): Promise<Place> {
  const { business } = await service.addBusiness(`Business ${(made += 1)}`)
  const here = below({ ...service, business }, 'staging')
  const owner = await addPerson(service, { role: 'owner', business: business.id })
  const checker = await addPerson(service, { role: 'owner', business: business.id })
  expectSuccess(await owner.patch(`${here}/payout-policy`, policy))
  const [drafts, schedules] = [`${here}/payout-drafts`, `${here}/payout-schedules`]
  return { here, owner, checker, drafts, schedules, business: business.id }
}

const row = { amount: '1,500.00', bank: 'GTBank', account: '2000000001', name: 'ADA OBI' }

function terms(changes: Record<string, unknown> = {}): Record<string, unknown> {
  return { repeats: 'weekly', date: dateIn(1), time: '09:00', ...changes }
}

/** The date in Lagos in this many days. */
function dateIn(days: number): string {
  return new Date(clock.now() + hourMs + days * dayMs).toISOString().slice(0, 10)
}

async function schedule(place: Place, changes = {}, rows: Record<string, string>[] = [row]) {
  const body = { key: randomUUID(), title: 'Rent', rows }
  const { id } = expectSuccess(await place.owner.post(place.drafts, body))
  return expectSuccess(await place.owner.post(`${place.drafts}/${id}/schedule`, terms(changes)))
}

async function paid(id: string): Promise<string[]> {
  const sql = `select reference from payment where reference like '${id}-%' order by reference`
  return (await asOwner<{ reference: string }>(service.database, sql)).map(({ reference }) => reference)
}

async function untilPaid(id: string, dates: string[]): Promise<void> {
  const wanted = dates.map((date) => `${id}-${date.replaceAll('-', '')}-1`)
  await untilHolds(async () => expect(await paid(id)).toEqual(wanted))
}

type StoredSchedule = { state: string; nextAt: Date | null }

async function stored(id: string): Promise<StoredSchedule | undefined> {
  const sql = `select state, next_at as "nextAt" from payout_schedule where draft_id = '${parseId('payoutDraft', id)}'`
  return (await asOwner<StoredSchedule>(service.database, sql))[0]
}

async function untilState(id: string, state: string): Promise<void> {
  await untilHolds(async () => expect((await stored(id))?.state).toBe(state))
}

/** Moves the clock to a time in Lagos. Sessions may have ended since, so tests add people. */
function goTo(date: string, time = '09:00', plusMs = 0): void {
  const at = Date.parse(`${date}T${time}:00.000Z`) - hourMs + plusMs
  clock.set(at - clock.now())
}

function anew(place: Place): Promise<TestPerson> {
  return addPerson(service, { role: 'owner', business: place.business })
}

async function alertsOf(place: Place): Promise<string[]> {
  const person = await anew(place)
  const { alerts } = expectSuccess(await person.get(`${place.here}/alerts`))
  return alerts.map(({ says }: { says: string }) => says)
}

beforeEach(() => {
  clock.advance(minuteMs)
})

describe('a schedule without approval', () => {
  it('pays once at each run, with two workers and a clock that is set back', async () => {
    const place = await newPlace()
    const [first, second] = [dateIn(1), dateIn(8)]
    const { id, status } = await schedule(place)
    expect(status).toBe('approved')
    const { schedules } = expectSuccess(await place.owner.get(place.schedules))
    expect(schedules).toMatchObject([{ id, state: 'active', repeats: 'weekly', total: 150_000 }])
    expect(await paid(id)).toEqual([])
    goTo(first)
    await untilPaid(id, [first])
    clock.set(-2 * hourMs)
    clock.advance(3 * hourMs)
    goTo(second)
    await untilPaid(id, [first, second])
    const runs = await asOwner(service.database, `select key from payout_draft where key like '${id}-%'`)
    expect(runs).toHaveLength(2)
  })

  it('pays a run that was missed for less than a day, and asks a person about a later one', async () => {
    const place = await newPlace()
    const [first, second, third] = [dateIn(1), dateIn(8), dateIn(15)]
    const { id } = await schedule(place)
    goTo(first, '09:00', dayMs - minuteMs)
    await untilPaid(id, [first])
    goTo(second, '09:00', dayMs + minuteMs)
    await untilState(id, 'late')
    expect(await alertsOf(place)).toContainEqual(expect.stringContaining('did not run within a day'))
    const person = await anew(place)
    const send = (runAt: Date) => person.post(`${place.schedules}/${id}/run`, { runAt })
    expectError(await send(new Date(`${first}T08:00:00.000Z`)), 409, 'CONFLICT')
    expectSuccess(await send(new Date(`${second}T08:00:00.000Z`)))
    await untilPaid(id, [first, second])
    expectError(await send(new Date(`${second}T08:00:00.000Z`)), 409, 'CONFLICT')
    expect(await stored(id)).toMatchObject({ state: 'active', nextAt: new Date(`${third}T08:00:00.000Z`) })
  })

  it('is skipped, paused, resumed and ended by hand', async () => {
    const place = await newPlace()
    const [first, second, third] = [dateIn(1), dateIn(8), dateIn(15)]
    const { id } = await schedule(place)
    const act = async (name: string, body?: Record<string, unknown>) =>
      (await anew(place)).post(`${place.schedules}/${id}/${name}`, body)
    expectSuccess(await act('skip', { runAt: `${first}T08:00:00.000Z` }))
    goTo(first)
    expect((await stored(id))?.nextAt).toEqual(new Date(`${second}T08:00:00.000Z`))
    expectSuccess(await act('pause'))
    expectError(await act('pause'), 409, 'CONFLICT')
    goTo(second)
    expectSuccess(await act('resume'))
    await untilPaid(id, [second])
    expectSuccess(await act('end'))
    goTo(third)
    expectError(await act('skip', { runAt: `${third}T08:00:00.000Z` }), 404, 'NOT_FOUND')
    expect(await paid(id)).toHaveLength(1)
    expect(await stored(id)).toMatchObject({ state: 'ended', nextAt: null })
  })

  it('skips one run when two people skip the run that both saw', async () => {
    const place = await newPlace()
    const { id } = await schedule(place)
    const shown = async () => expectSuccess(await place.owner.get(`${place.drafts}/${id}`)).schedule
    const { skipAt } = await shown()
    expect(skipAt).toBe(`${dateIn(1)}T08:00:00.000Z`)
    const skip = (person: TestPerson) => person.post(`${place.schedules}/${id}/skip`, { runAt: skipAt })
    const answers = await Promise.all([skip(place.owner), skip(place.checker)])
    expect(answers.map(({ status }) => status).toSorted()).toEqual([200, 409])
    expect(await shown()).toMatchObject({ skipAt: `${dateIn(8)}T08:00:00.000Z` })
    const refused = answers.find(({ status }) => status === 409)
    expect(refused?.body.error?.message).toBe(
      'The next run changed since you opened this page. Reload the page and check it again.',
    )
    expectError(await place.owner.post(`${place.schedules}/${id}/skip`, {}), 400, 'VALIDATION_ERROR')
  })

  it('pays a single time, under the reference of the file', async () => {
    const place = await newPlace()
    const date = dateIn(1)
    const { id } = await schedule(place, { repeats: 'never' }, [{ ...row, reference: 'INVOICE-7' }])
    goTo(date)
    await untilState(id, 'ended')
    await untilHolds(async () => {
      const found = await asOwner(service.database, `select 1 from payment where reference = 'INVOICE-7'`)
      expect(found).toHaveLength(1)
    })
  })

  it('waits while the balance does not cover it, and goes on when it does', async () => {
    const place = await newPlace()
    const [first, second] = [dateIn(1), dateIn(8)]
    const { id } = await schedule(place, {}, [{ ...row, amount: '600,000,000.00' }])
    goTo(first)
    await untilPaid(id, [first])
    goTo(second)
    await untilHolds(async () => {
      const sql = `select 1 from payout_draft where key like '${id}-%' and held_since is not null`
      expect(await asOwner(service.database, sql)).toHaveLength(1)
    })
    expect(await alertsOf(place)).toContainEqual(expect.stringContaining('the balance does not cover'))
    const funds = { currency: 'NGN', amount: 99_999_999_900 }
    expectSuccess(await (await anew(place)).post(`${place.here}/v1/sandbox/balance/fund`, funds))
    clock.advance(2 * minuteMs)
    await untilPaid(id, [first, second])
  })

  it('waits for the balance also if another payment has taken the reference of a row', async () => {
    const place = await newPlace()
    const date = dateIn(1)
    const rows = [
      { ...row, reference: 'INVOICE-8' },
      { ...row, amount: '2,000,000,000.00', account: '2000000002' },
    ]
    const { id } = await schedule(place, { repeats: 'never' }, rows)
    const transfer = { reference: 'INVOICE-8', amount: 100, bankSlug: 'access-bank', accountNumber: '2000000003' }
    expectSuccess(
      await place.owner.post(`${place.here}/v1/transfers/initiate`, { ...transfer, accountName: 'BOLA ADE' }),
    )
    goTo(date)
    await untilHolds(async () => {
      const sql = `select status, held_since from payout_draft where key like '${id}-%'`
      expect(await asOwner(service.database, sql)).toMatchObject([{ status: 'approved', held_since: expect.any(Date) }])
    })
    expect(await paid(id)).toEqual([])
  })

  it('gives a run up that the balance did not cover for a day, and a person decides', async () => {
    const place = await newPlace()
    const date = dateIn(1)
    const { id } = await schedule(place, {}, [{ ...row, amount: '2,000,000,000.00' }])
    goTo(date)
    const run = async () =>
      (
        await asOwner<{ status: string; reason: string; held_since: Date | null }>(
          service.database,
          `select status, reason, held_since from payout_draft where key like '${id}-%'`,
        )
      )[0]
    await untilHolds(async () => expect((await run())?.held_since).toEqual(new Date(clock.now())))
    clock.advance(dayMs + 2 * minuteMs)
    await untilHolds(async () => expect((await run())?.status).toBe('rejected'))
    // Roles that may not see the balance see the reason.
    expect((await run())?.reason).toBe('The balance did not cover ₦2,000,000,050.00 for a day. Nothing was sent.')
    expect(await paid(id)).toEqual([])
  })
})

describe('a run whose worker died after its payments were accepted', () => {
  const noTrigger = 'a table that is spread takes no trigger'

  async function unrecorded(place: Place, changes = {}) {
    const date = dateIn(1)
    const { id } = await schedule(place, changes, [{ ...row, amount: '600,000,000.00' }])
    // The rollback of the worker's transaction does not take a number of a sequence back.
    await asOwner(service.database, 'create sequence deaths')
    await asOwner(
      service.database,
      `create function die() returns trigger language plpgsql security definer as $$
         begin perform nextval('public.deaths'); raise 'the worker died'; end $$`,
    )
    await asOwner(
      service.database,
      `create trigger die before update of outcome on payout_draft_row for each row
         when (new.reference like '${id}-%') execute function die()`,
    )
    goTo(date)
    await untilHolds(async () =>
      expect(await asOwner(service.database, 'select is_called from deaths')).toEqual([{ is_called: true }]),
    )
    await asOwner(service.database, 'drop function die cascade')
    await asOwner(service.database, 'drop sequence deaths')
    await untilPaid(id, [date])
    return id
  }

  const run = async (id: string) =>
    (await asOwner(service.database, `select status, reason, held_since from payout_draft where key like '${id}-%'`))[0]

  it('does not wait for the balance that its own payments have taken', async (context) => {
    skipOnCitus(context, noTrigger)
    const id = await unrecorded(await newPlace())
    clock.advance(minuteMs)
    await untilHolds(async () => expect(await run(id)).toMatchObject({ status: 'done', held_since: null }))
  })

  it('is not given up a day later, as if nothing was sent', async (context) => {
    skipOnCitus(context, noTrigger)
    const id = await unrecorded(await newPlace())
    clock.advance(dayMs + minuteMs)
    await untilHolds(async () => expect(await run(id)).toMatchObject({ status: 'done', reason: null }))
  })
})

describe('a schedule that needs approval', () => {
  it('pays no run before another person approved the schedule, and needs approval again when it changes', async () => {
    const place = await newPlace({ mode: 'every' })
    const [first, second] = [dateIn(1), dateIn(2)]
    const { id, status, hash } = await schedule(place)
    expect(status).toBe('waiting')
    expectError(await place.owner.post(`${place.drafts}/${id}/approve`, { hash }), 403, 'FORBIDDEN')
    expect(expectSuccess(await place.checker.post(`${place.drafts}/${id}/approve`, { hash })).status).toBe('approved')
    // The maker moves it by a day.
    expect(expectSuccess(await place.owner.post(`${place.drafts}/${id}/withdraw`)).status).toBe('editing')
    expect(await stored(id)).toBeUndefined()
    const changed = expectSuccess(await place.owner.post(`${place.drafts}/${id}/schedule`, terms({ date: second })))
    expect(changed.status).toBe('waiting')
    expect(changed.hash).not.toBe(hash)
    expectError(await place.checker.post(`${place.drafts}/${id}/approve`, { hash }), 409, 'CONFLICT')
    expectSuccess(await place.checker.post(`${place.drafts}/${id}/approve`, { hash: changed.hash }))
    goTo(first)
    expect(await paid(id)).toEqual([])
    goTo(second)
    await untilPaid(id, [second])
  })

  it('is shown as rejected when another person rejected it', async () => {
    const place = await newPlace({ mode: 'every' })
    const { id } = await schedule(place)
    expectSuccess(await place.checker.post(`${place.drafts}/${id}/reject`, { reason: 'The rent went up.' }))
    expect(expectSuccess(await place.owner.get(`${place.drafts}/${id}`)).schedule).toMatchObject({ state: 'rejected' })
    expect(expectSuccess(await place.owner.get(place.schedules)).schedules).toMatchObject([{ id, state: 'rejected' }])
  })

  it('with approval of each run asks two days before and pays at its time', async () => {
    const place = await newPlace({ mode: 'every' })
    const date = dateIn(5)
    const { id, status } = await schedule(place, { date, approval: 'each' })
    expect(status).toBe('approved')
    goTo(date, '09:00', -47 * hourMs)
    const person = await anew(place)
    type Shown = { id: string; hash: string; scheduleId: string }
    const waiting = async (): Promise<Shown[]> => expectSuccess(await person.get(place.drafts)).drafts
    await untilHolds(async () => expect(await waiting()).toMatchObject([{ scheduleId: id, status: 'waiting' }]))
    const [run] = await waiting()
    const mails = () => smtp.mails.filter(({ text }) => text.includes(String(run?.id))).map(({ to }) => to)
    await untilHolds(async () => expect(mails()).toContain(place.checker.email))
    expect(mails()).not.toContain(place.owner.email)
    expectSuccess(await person.post(`${place.drafts}/${run?.id}/approve`, { hash: run?.hash }))
    const { next, short } = expectSuccess(await person.get(`${place.here}/payout-forecast`))
    expect(next[0]).toMatchObject({ id: run?.id, amount: 151_000 })
    expect(short).toMatchObject({ runs: 1, amount: 151_000 })
    expect(await paid(id)).toEqual([])
    goTo(date)
    await untilPaid(id, [date])
  })

  it('does not pay a run that was approved in time and is more than a day late, because no worker ran', async () => {
    const place = await newPlace({ mode: 'every' })
    const date = dateIn(1)
    const { id } = await schedule(place, { date, approval: 'each' })
    const run = async () => expectSuccess(await place.checker.get(`${place.drafts}?status=waiting`)).drafts[0]
    await untilHolds(async () => expect(await run()).toMatchObject({ scheduleId: id }))
    const { id: runId, hash } = await run()
    expectSuccess(await place.checker.post(`${place.drafts}/${runId}/approve`, { hash }))
    goTo(date, '09:00', dayMs + minuteMs)
    await untilHolds(async () =>
      expect(expectSuccess(await (await anew(place)).get(`${place.drafts}/${runId}`))).toMatchObject({
        status: 'rejected',
        reason: 'The run was more than a day late. Nothing was sent.',
      }),
    )
    expect(await paid(id)).toEqual([])
  })

  it('asks for a run again when its schedule was changed after the run was rejected', async () => {
    const place = await newPlace({ mode: 'every' })
    const date = dateIn(1)
    const { id } = await schedule(place, { date, approval: 'each' })
    const waiting = async () => expectSuccess(await place.checker.get(`${place.drafts}?status=waiting`)).drafts
    await untilHolds(async () => expect(await waiting()).toMatchObject([{ scheduleId: id, total: 150_000 }]))
    const [rejected] = await waiting()
    expectSuccess(await place.checker.post(`${place.drafts}/${rejected.id}/reject`, { reason: 'The rent went up.' }))
    clock.advance(minuteMs)
    expectSuccess(await place.owner.post(`${place.drafts}/${id}/withdraw`))
    expectSuccess(await place.owner.patch(`${place.drafts}/${id}/rows/1`, { amount: '1,600.00' }))
    expectSuccess(await place.owner.post(`${place.drafts}/${id}/schedule`, terms({ date, approval: 'each' })))
    await untilHolds(async () => expect(await waiting()).toMatchObject([{ scheduleId: id, total: 160_000 }]))
    const [again] = await waiting()
    expectSuccess(await place.checker.post(`${place.drafts}/${again.id}/approve`, { hash: again.hash }))
    goTo(date)
    await untilHolds(async () => expect(await paid(id)).toHaveLength(1))
    const ofNewAmount = `select 1 from payment where reference like '${id}-%' and amount = 160000`
    expect(await asOwner(service.database, ofNewAmount)).toHaveLength(1)
  })

  it('pays a date once, also if the schedule is changed after the run of this date was paid', async () => {
    const place = await newPlace()
    const [first, second] = [dateIn(1), dateIn(8)]
    const { id } = await schedule(place)
    goTo(first)
    await untilPaid(id, [first])
    clock.advance(minuteMs)
    const person = await anew(place)
    const ofMaker = `update payout_draft set maker_id = '${person.id}' where id = '${parseId('payoutDraft', id)}'`
    await asOwner(service.database, ofMaker)
    expectSuccess(await person.post(`${place.drafts}/${id}/withdraw`))
    expectSuccess(await person.patch(`${place.drafts}/${id}/rows/1`, { amount: '1,600.00' }))
    expectSuccess(await person.post(`${place.drafts}/${id}/schedule`, terms({ date: first, time: '15:00' })))
    goTo(first, '15:00')
    await untilHolds(async () => expect((await stored(id))?.nextAt).toEqual(new Date(`${second}T14:00:00.000Z`)))
    expect(await paid(id)).toHaveLength(1)
  })

  it('takes a run back that is approved and not due when the schedule is paused', async () => {
    const place = await newPlace({ mode: 'every' })
    const date = dateIn(1)
    const { id } = await schedule(place, { date, approval: 'each' })
    const run = async () => expectSuccess(await place.checker.get(place.drafts)).drafts[0]
    await untilHolds(async () => expect(await run()).toMatchObject({ scheduleId: id }))
    const { id: runId, hash } = await run()
    expectSuccess(await place.checker.post(`${place.drafts}/${runId}/approve`, { hash }))
    expectSuccess(await place.checker.post(`${place.schedules}/${id}/pause`))
    expectError(await place.checker.get(`${place.drafts}/${runId}`), 404, 'NOT_FOUND')
    goTo(date)
    expect(await paid(id)).toEqual([])
    expect(await stored(id)).toMatchObject({ state: 'paused', nextAt: new Date(`${date}T08:00:00.000Z`) })
  })

  it('skips the run that waits for approval, and keeps the next one when a second person skips the same run', async () => {
    const place = await newPlace({ mode: 'every' })
    const [first, second] = [`${dateIn(1)}T08:00:00.000Z`, `${dateIn(8)}T08:00:00.000Z`]
    const { id } = await schedule(place, { date: dateIn(1), approval: 'each' })
    const run = async () => expectSuccess(await place.checker.get(place.drafts)).drafts[0]
    await untilHolds(async () => expect(await run()).toMatchObject({ scheduleId: id }))
    const shown = async () => expectSuccess(await place.owner.get(`${place.drafts}/${id}`)).schedule
    expect(await shown()).toMatchObject({
      skipAt: first,
      nextAt: second,
      openRuns: [{ status: 'waiting', runAt: first }],
    })
    const skip = (runAt: string) => place.owner.post(`${place.schedules}/${id}/skip`, { runAt })
    expectError(await skip(second), 409, 'CONFLICT')
    expect(await run()).toMatchObject({ scheduleId: id })
    expectSuccess(await skip(first))
    expectError(await skip(first), 409, 'CONFLICT')
    expect(await shown()).toMatchObject({ skipAt: second, nextAt: second })
  })

  it('keeps a run that its maker took back and tried to make a schedule of its own', async () => {
    const place = await newPlace({ mode: 'every' })
    const { id } = await schedule(place, { date: dateIn(1), approval: 'each' })
    const run = async () => expectSuccess(await place.checker.get(place.drafts)).drafts[0]
    await untilHolds(async () => expect(await run()).toMatchObject({ scheduleId: id }))
    const path = `${place.drafts}/${(await run()).id}`
    expectSuccess(await place.owner.post(`${path}/withdraw`))
    expectError(await place.owner.post(`${path}/schedule`, terms()), 409, 'CONFLICT')
    expectSuccess(await place.owner.post(`${path}/submit`))
    expectSuccess(await place.owner.post(`${path}/withdraw`))
    expect(expectSuccess(await place.owner.get(path))).toMatchObject({ status: 'editing', scheduleId: id })
  })

  it('with approval of each run asks again for a run that its maker took back and submitted', async () => {
    const place = await newPlace()
    const { id } = await schedule(place, { date: dateIn(1), approval: 'each' })
    const run = async () => expectSuccess(await place.checker.get(place.drafts)).drafts[0]
    await untilHolds(async () => expect(await run()).toMatchObject({ scheduleId: id }))
    const path = `${place.drafts}/${(await run()).id}`
    expectSuccess(await place.owner.post(`${path}/withdraw`))
    const again = expectSuccess(await place.owner.post(`${path}/submit`))
    expect(again).toMatchObject({ status: 'waiting', approvalsNeeded: 1 })
  })

  it('asks for an approval if its maker has left the business', async () => {
    const place = await newPlace()
    const date = dateIn(1)
    const { id } = await schedule(place)
    await asOwner(service.database, `delete from membership where person_id = '${place.owner.id}'`)
    goTo(date)
    const person = await anew(place)
    await untilHolds(async () => {
      const { drafts } = expectSuccess(await person.get(place.drafts))
      expect(drafts).toMatchObject([{ scheduleId: id, status: 'waiting', approvalsNeeded: 1 }])
    })
    expect(await paid(id)).toEqual([])
  })
})

describe('bad terms', () => {
  it('are refused by the name of the field', async () => {
    const place = await newPlace()
    const body = { key: randomUUID(), title: 'Rent', rows: [row] }
    const { id } = expectSuccess(await place.owner.post(place.drafts, body))
    const refused = async (changes: Record<string, unknown>, field: string) => {
      const answer = await place.owner.post(`${place.drafts}/${id}/schedule`, terms(changes))
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details).toMatchObject([{ field }])
    }
    await refused({ date: dateIn(-1) }, 'date')
    await refused({ date: '2027-02-29' }, 'date')
    await refused({ date: '2090-01-01' }, 'date')
    await refused({ date: '2026-02-27', repeats: 'monthly', isLastDay: true }, 'date')
    await refused({ time: '24:00' }, 'time')
    await refused({ repeats: 'daily' }, 'repeats')
    await refused({ approval: 'never' }, 'approval')
    const viewer = await addPerson(service, { role: 'viewer', business: place.business })
    expectError(await viewer.post(`${place.drafts}/${id}/schedule`, terms()), 403, 'FORBIDDEN')
  })
})
