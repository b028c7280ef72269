// The window that a loop reads, and the time of its next run.

import { describe, expect, it } from 'vitest'
import {
  beginningAt,
  dayAt,
  nextDueAt,
  nextPage,
  nextWindow,
  pagesMax,
  provedDay,
  type RailCheck,
  type LoopName,
  type OpenCheck,
} from '#reconciliation/schedule.ts'
import { parseDay } from '#reconciliation/service.ts'

const at = (text: string): number => Date.parse(text)

function checkOf(loop: LoopName, provedUntil: string | null): RailCheck {
  const beganAt = new Date('2026-01-01T00:00:00Z')
  const nothing = { fromAt: null, toAt: null, step: 'payouts' as const, why: null, wallets: null }
  const page = { cursor: null, pages: 0, markedCursor: null, cut: null }
  return {
    environment: 'production',
    rail: 'acme',
    loop,
    beganAt,
    provedUntil: provedUntil === null ? null : new Date(provedUntil),
    ...nothing,
    ...page,
  }
}

const windowAt = (check: RailCheck, now: string) => {
  const window = nextWindow(check, at(now))
  return [window.fromAt.toISOString().slice(0, 16), window.toAt.toISOString().slice(0, 16)]
}

it('begins seconds before it looks first, at a whole one, as lists tell the time', () => {
  expect(beginningAt(at('2026-01-15T10:00:00.114Z')).toISOString()).toBe('2026-01-15T09:59:55.000Z')
})

describe('near', () => {
  it.each([
    ['the first time', null, '2026-01-15T09:15'],
    ['five minutes later', '2026-01-15T09:55:00Z', '2026-01-15T09:10'],
    ['after hours', '2026-01-15T04:00:00Z', '2026-01-15T03:15'],
    ['after days, which are for the close', '2026-01-12T04:00:00Z', '2026-01-14T10:00'],
    ['after a clock that was ahead', '2026-01-15T11:00:00Z', '2026-01-15T09:15'],
  ])('looks back 45 minutes from where it was: %s', (_, provedUntil, from) => {
    expect(windowAt(checkOf('near', provedUntil), '2026-01-15T10:00:00Z')).toEqual([from, '2026-01-15T10:00'])
  })
})

describe('close', () => {
  /** In Lagos a day begins at 23:00 UTC of the day before. */
  const proves = (provedUntil: string | null, now: string): string => {
    const check = checkOf('close', provedUntil)
    return provedDay({ ...check, ...nextWindow(check, at(now)) }).name
  }

  it('proves the day before, with a day more on each side', () => {
    const now = '2026-01-15T01:00:00Z'
    expect(proves(null, now)).toBe('2026-01-14')
    expect(windowAt(checkOf('close', null), now)).toEqual(['2026-01-12T23:00', '2026-01-15T01:00'])
  })

  it('leaves no day out after an outage, and looks at once until it has come to yesterday', () => {
    const now = '2026-01-20T09:00:00Z'
    let check = checkOf('close', '2026-01-15T01:00:00Z')
    const days: string[] = []
    for (;;) {
      const open = { ...check, ...nextWindow(check, at(now)) }
      days.push(provedDay(open).name)
      const due = nextDueAt(open, at(now))
      check = { ...check, provedUntil: open.toAt }
      if (due?.getTime() === at(now)) continue
      expect(due).toEqual(new Date('2026-01-21T01:00:00Z'))
      break
    }
    expect(days).toEqual(['2026-01-15', '2026-01-16', '2026-01-17', '2026-01-18', '2026-01-19'])
  })

  it('looks next at two in the morning of Lagos', () => {
    const check = checkOf('close', null)
    const open = { ...check, ...nextWindow(check, at('2026-01-15T12:00:00Z')) }
    expect(nextDueAt(open, at('2026-01-15T12:00:05Z'))).toEqual(new Date('2026-01-16T01:00:00Z'))
  })
})

it.each(['near', 'close'] as const)('the %s loop pauses for an hour after a list that it gave up', (loop) => {
  const now = '2026-01-20T09:00:00Z'
  const check = checkOf(loop, '2026-01-15T01:00:00Z')
  const open = { ...check, ...nextWindow(check, at(now)), cut: 'payouts: its page 2 leads back to a page before it' }
  expect(nextDueAt(open, at(now))).toEqual(new Date('2026-01-20T10:00:00Z'))
})

it.each([
  ['2026-01-14', '2026-01-13T23:00:00.000Z'],
  ['2026-02-30', undefined],
  ['2026-01-16', undefined],
  ['yesterday', undefined],
])('a person asks for the day %s', (day, from) => {
  const fromMs = parseDay(day, at('2026-01-15T12:00:00Z'))
  expect(fromMs === undefined ? undefined : new Date(fromMs).toISOString()).toBe(from)
  expect(fromMs === undefined ? day : dayAt(fromMs).name).toBe(day)
})

describe('a list', () => {
  const first: OpenCheck = { ...checkOf('near', null), fromAt: new Date(0), toAt: new Date(1) }

  /** How many pages the loop fetches of a list with these cursors. */
  function pagesOf(cursorAt: (page: number) => string): [pages: number, why: string] {
    for (let check = first, page = 1; ; page += 1) {
      const next = nextPage(check, cursorAt(page))
      if (typeof next === 'string') return [page, next]
      check = next
    }
  }

  it.each([1, 2, 3, 7, 100])('whose pages come back after %s is given up soon', (length) => {
    const [pages, why] = pagesOf((page) => `c${page % length}`)
    expect(pages).toBeLessThanOrEqual(3 * length + 1)
    expect(why).toContain('leads back to a page before it')
  })

  it('with endless pages is given up', () => {
    expect(pagesOf(String)).toEqual([pagesMax, `it has more than ${pagesMax} pages`])
  })
})
