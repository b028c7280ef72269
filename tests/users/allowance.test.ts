import { describe, expect, it } from 'vitest'
import { createAllowance } from '#users/passwords.ts'

/** The first 200 ms of work are free, and then a tenth of the time. */
function begin() {
  let nowMs = 0
  const waitMs = async (ms: number): Promise<void> => void (nowMs += ms)
  const allowance = createAllowance({ freeMs: 200, share: 0.1, monotonicMs: () => nowMs, waitMs })
  const work = async (ms: number): Promise<void> => void (nowMs += ms)
  return {
    rest: (ms: number) => void (nowMs += ms),
    async waits(count: number, eachMs = 10): Promise<number[]> {
      const waited: number[] = []
      for (let piece = 0; piece < count; piece++) {
        const before = nowMs
        await allowance(() => work(eachMs))
        waited.push(nowMs - before - eachMs)
      }
      return waited
    },
    spent: () => nowMs,
  }
}

describe('the allowance of strangers', () => {
  it('starts the first work at once, and from then on limits it to its share of the time', async () => {
    const allowance = begin()
    expect(await allowance.waits(20)).toEqual(Array(20).fill(0))
    await allowance.waits(10)
    const before = allowance.spent()
    await allowance.waits(1000)
    const share = (1000 * 10) / (allowance.spent() - before)
    expect(share).toBeGreaterThan(0.09)
    expect(share).toBeLessThan(0.103)
  })

  it('starts as much work at once again after a rest, and no more', async () => {
    const allowance = begin()
    await allowance.waits(50)
    allowance.rest(3_600_000)
    const waits = await allowance.waits(25)
    expect(waits.slice(0, 20)).toEqual(Array(20).fill(0))
    expect(waits.at(-1)).toBeGreaterThan(0)
  })

  it('counts the time that work took, however long', async () => {
    const allowance = begin()
    expect(await allowance.waits(1, 1_200)).toEqual([0])
    expect((await allowance.waits(1, 1))[0]).toBeGreaterThan(8_000)
  })

  it('counts work that failed, and hands its failure on', async () => {
    let nowMs = 0
    const waited: number[] = []
    const waitMs = async (ms: number): Promise<void> => void waited.push(Math.round(ms))
    const allowance = createAllowance({ freeMs: 0, share: 0.5, monotonicMs: () => nowMs, waitMs })
    const failing = async (): Promise<never> => {
      nowMs += 10
      throw new Error('no')
    }
    await expect(allowance(failing)).rejects.toThrow('no')
    expect(await allowance(async () => 'yes')).toBe('yes')
    expect(waited).toEqual([10])
  })
})
