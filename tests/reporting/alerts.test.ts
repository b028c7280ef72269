import { expect, it } from 'vitest'
import { minuteMs, secondMs } from '#platform/durations.ts'
import { newUuid } from '#platform/ids.ts'
import { insertBreaks } from '#reconciliation/mismatches.ts'
import { createAlertLetters } from '#reporting/alerts.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { addPerson } from '#tests/support/dashboard.ts'
import { asOwner } from '#tests/support/owner.ts'
import { useService } from '#tests/support/service.ts'

// A second before a quarter hour ends.
const clock = createFakeClock(Date.parse('2026-01-15T09:44:59.000Z'))
const service = await useService({ clock, roles: ['api'] })
const ctx = { ...service.ctx, sendsMail: true }

it('writes a letter about a mismatch that commits only after its quarter hour has ended', async () => {
  await addPerson(service, { isOperator: true })
  const rail = { environment: 'production', rail: 'paystack' } as const
  const breakOf = (subject: string) => {
    const openedAt = new Date(clock.now())
    const common = { kind: 'missing-here', amount: null, currency: null, fact: '{}', aboutAt: openedAt } as const
    return { ...rail, ...common, id: newUuid(openedAt.getTime()), subject, reference: subject, openedAt }
  }
  const firstLetter = Promise.withResolvers<void>()
  const opened = Promise.withResolvers<void>()
  await ctx.db.transaction((tx) => insertBreaks(tx, rail, [breakOf('early')]))
  const late = ctx.db.transaction(async (tx) => {
    await insertBreaks(tx, rail, [breakOf('late')])
    opened.resolve()
    await firstLetter.promise
  })
  await opened.promise
  const write = createAlertLetters(ctx)
  clock.advance(2 * secondMs)
  await write(1)
  firstLetter.resolve()
  await late
  clock.advance(15 * minuteMs)
  await write(1)
  const letters = await asOwner<{ facts: string }>(
    service.database,
    `select facts from letter where kind = 'mismatches' order by created_at`,
  )
  expect(letters.map(({ facts }) => JSON.parse(facts) as unknown).at(-1)).toMatchObject({ count: 2 })
})
