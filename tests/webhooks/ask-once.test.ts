import { describe, expect, it } from 'vitest'
import { AskOnce } from '#platform/concurrency.ts'

/** A source whose answers a test releases. Each answer is the number of questions that were asked before it. */
function newSource() {
  const gates: PromiseWithResolvers<number>[] = []
  return {
    gates,
    make: () => {
      const gate = Promise.withResolvers<number>()
      gates.push(gate)
      return gate.promise
    },
  }
}

describe('a shared answer', () => {
  it('is computed after each caller asked, and once for all callers that wait', async () => {
    const shared = new AskOnce<number>()
    const { gates, make } = newSource()
    const first = shared.ask('key', make)
    const rest = Array.from({ length: 64 }, () => shared.ask('key', make))
    gates[0]?.resolve(0)
    expect(await first).toBe(0)
    await expect.poll(() => gates.length).toBe(2)
    gates[1]?.resolve(1)
    expect(await Promise.all(rest)).toEqual(rest.map(() => 1))
    const later = shared.ask('key', make)
    gates[2]?.resolve(2)
    expect([await later, gates.length]).toEqual([2, 3])
  })

  it('fails for the callers that share it, and the next one is computed', async () => {
    const shared = new AskOnce<number>()
    const { gates, make } = newSource()
    const first = shared.ask('key', make)
    const second = shared.ask('key', make)
    gates[0]?.reject(new Error('away'))
    await expect(first).rejects.toThrow('away')
    await expect.poll(() => gates.length).toBe(2)
    gates[1]?.resolve(1)
    expect(await second).toBe(1)
  })

  it('is not shared between keys', async () => {
    const shared = new AskOnce<number>()
    const { gates, make } = newSource()
    const both = [shared.ask('one', make), shared.ask('two', make)]
    for (const [index, gate] of gates.entries()) gate.resolve(index)
    expect(await Promise.all(both)).toEqual([0, 1])
  })
})
