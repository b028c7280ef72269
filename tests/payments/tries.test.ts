// The tries that a step records while it asks a rail.

import { expect, it } from 'vitest'
import { isWorthKeeping, noteAnswersOf, type RailState, type Try } from '#payments/execution/rail-call.ts'
import { createFakeClock } from '#tests/support/clock.ts'

const clock = createFakeClock()

/** Each answer comes this many milliseconds after the question. */
async function triesOf(...answers: ['submit' | 'status', RailState, number][]): Promise<Try[]> {
  const tries: Try[] = []
  for (const [asked, state, tookMs] of answers) {
    const answer = async () => (clock.advance(tookMs), state)
    const order = noteAnswersOf({ submit: answer, status: answer }, tries, clock)
    await (asked === 'submit' ? order.submit(0) : order.status())
  }
  return tries
}

const unknown = (detail: string): RailState => ({ kind: 'unknown', detail })

it('the same answer to the same question is counted, between its first time and its last', async () => {
  const began = new Date(clock.now())
  const tries = await triesOf(
    ['status', unknown('busy'), 20],
    ['submit', unknown('busy'), 0],
    ['status', { kind: 'pending' }, 5],
    ['status', unknown('gone'), 7],
  )
  expect(tries).toEqual([
    {
      asked: 'status',
      answered: 'unknown',
      detail: 'gone',
      firstAt: began,
      lastAt: new Date(began.getTime() + 25),
      times: 2,
      milliseconds: 7,
    },
    expect.objectContaining({ asked: 'submit', answered: 'unknown', times: 1, milliseconds: 0 }),
    expect.objectContaining({ asked: 'status', answered: 'pending', detail: '', times: 1, milliseconds: 5 }),
  ])
})

it('no more of its words is kept than fit', async () => {
  const [one] = await triesOf(['status', unknown(`${'x'.repeat(199)}yz`), 3])
  expect(one).toMatchObject({ detail: `${'x'.repeat(199)}y` })
})

it('its time is right also while the clock is slowed down', async () => {
  const tries: Try[] = []
  const answer = async () => (clock.advance(40), clock.set(-20), unknown('busy'))
  await noteAnswersOf({ submit: answer, status: answer }, tries, clock).status()
  expect(tries).toMatchObject([{ milliseconds: 40 }])
})

it('they are worth keeping when one of them is not the usual', async () => {
  const usual: ['submit' | 'status', RailState, number][] = [
    ['submit', { kind: 'pending' }, 0],
    ['status', { kind: 'otp-required', expiresAtMs: 0 }, 0],
    ['status', { kind: 'succeeded', sessionId: '1' }, 0],
  ]
  expect(isWorthKeeping(await triesOf(...usual))).toBe(false)
  expect(isWorthKeeping(await triesOf(...usual, ['status', unknown('lost'), 0]))).toBe(true)
  expect(isWorthKeeping([])).toBe(false)
})
