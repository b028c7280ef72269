// A server of a world dies as often as planned, and never while another death lasts.

import { expect, it } from 'vitest'
import { startDeaths } from '#simulate/faults/deaths.ts'
import { createChance } from '#simulate/seed.ts'
import { untilHolds } from '#tests/support/patience.ts'

/** A server whose deaths last until a test ends them. */
function createServer(): { kill(): Promise<string>; rise(): void; died(): number; isAway(): boolean } {
  let died = 0
  let rise: ((what: string) => void) | undefined
  return {
    kill() {
      expect(rise, 'it is back before it dies again').toBeUndefined()
      died += 1
      return new Promise((resolve) => (rise = resolve))
    },
    rise() {
      rise?.('db1')
      rise = undefined
    },
    died: () => died,
    isAway: () => rise !== undefined,
  }
}

it('a server dies so many times, each time only once it is back and more was done, and then no more', async () => {
  const server = createServer()
  const said: string[] = []
  const deaths = startDeaths({ times: 3, kill: server.kill }, createChance(1), (text) => void said.push(text))
  let step = 0
  for (let death = 1; death <= 3; death += 1) {
    const from = step
    while (!server.isAway()) deaths.onStep((step += 1))
    expect(step - from).toBeGreaterThanOrEqual(30)
    for (let more = 0; more < 200; more += 1) deaths.onStep((step += 1))
    expect(server.died()).toBe(death)
    expect(deaths.over()).toBe(false)
    server.rise()
    await untilHolds(() => expect(said).toHaveLength(death))
  }
  await untilHolds(() => expect(deaths.over()).toBe(true))
  for (let more = 0; more < 500; more += 1) deaths.onStep((step += 1))
  expect(server.died()).toBe(3)
  expect(await deaths.ended()).toBe(3)
})

it('where none is to die, it is over before it begins', async () => {
  const server = createServer()
  const deaths = startDeaths({ times: 0, kill: server.kill }, createChance(1), () => undefined)
  for (let step = 1; step <= 500; step += 1) deaths.onStep(step)
  expect(deaths.over()).toBe(true)
  expect(server.died()).toBe(0)
  expect(await deaths.ended()).toBe(0)
})

it('a server that does not come back ends it, and says why', async () => {
  const kill = (): Promise<string> => Promise.reject(new Error('waited for another primary'))
  const deaths = startDeaths({ times: 5, kill }, createChance(1), () => undefined)
  for (let step = 1; step <= 100; step += 1) deaths.onStep(step)
  await untilHolds(() => expect(deaths.over()).toBe(true))
  await expect(deaths.ended()).rejects.toThrow('another primary')
})
