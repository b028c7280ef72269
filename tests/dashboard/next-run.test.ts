import { expect, it } from 'vitest'
import { sayNextRun, type ShownTerms } from '#dashboard/api/schedules.ts'

const [first, second] = ['2026-01-16T08:00:00.000Z', '2026-01-23T08:00:00.000Z']
const terms: ShownTerms = {
  repeats: 'weekly',
  monthDay: null,
  firstAt: first,
  approval: 'each',
  state: 'active',
  nextAt: second,
  openRuns: [],
}
const run = { id: 'pdr_1', status: 'approved', runAt: first, heldSince: null }

it('names the run that is next, also if it has a draft already, and what it waits for', () => {
  const say = (changes: Partial<ShownTerms>) => sayNextRun({ ...terms, ...changes })
  expect(say({})).toMatch(/^Fri,? 23 Jan 2026, 09:00$/)
  expect(say({ openRuns: [run] })).toMatch(/^Fri,? 16 Jan 2026, 09:00$/)
  expect(say({ openRuns: [{ ...run, status: 'waiting' }] })).toMatch(/16 Jan 2026, 09:00, needs approval$/)
  expect(say({ openRuns: [{ ...run, status: 'editing' }] })).toMatch(/16 Jan 2026, 09:00, taken back$/)
  expect(say({ openRuns: [{ ...run, heldSince: first }] })).toMatch(/16 Jan 2026, 09:00, waits for the balance$/)
})

it('does not promise a run of a schedule that is paused, late, stopped, not approved or ended', () => {
  const say = (state: ShownTerms['state'], nextAt: string | null = first) => sayNextRun({ ...terms, state, nextAt })
  expect(say('waiting')).toMatch(/, needs approval$/)
  expect(say('paused')).toMatch(/, if resumed$/)
  expect(say('late')).toMatch(/, late$/)
  expect(say('unreadable')).toMatch(/, stopped$/)
  expect([say('rejected'), say('expired'), say('ended', null)]).toEqual([undefined, undefined, undefined])
})
