import { describe, expect, it } from 'vitest'
import { createPace } from '#people/pace.ts'

/** 200 ms of work are free, and then a tenth of the time. */
function begin() {
  let nowMs = 0
  const waitMs = async (ms: number): Promise<void> => void (nowMs += ms)
  const pace = createPace({ freeMs: 200, share: 0.1, monotonicMs: () => nowMs, waitMs })
  const work = async (ms: number): Promise<void> => void (nowMs += ms)
  return {
    rest: (ms: number) => void (nowMs += ms),
    /** How long each of them waited for its turn. */
    async waits(count: number, eachMs = 10): Promise<number[]> {
      const waited: number[] = []
      for (let piece = 0; piece < count; piece++) {
        const before = nowMs
        await pace(() => work(eachMs))
        waited.push(nowMs - before - eachMs)
      }
      return waited
    },
    spent: () => nowMs,
  }
}

describe('the pace of strangers', () => {
  it('lets the first ones in at once, and from then on as many as take their share', async () => {
    const pace = begin()
    expect(await pace.waits(20)).toEqual(Array(20).fill(0))
    await pace.waits(10)
    const before = pace.spent()
    await pace.waits(1000)
    const share = (1000 * 10) / (pace.spent() - before)
    expect(share).toBeGreaterThan(0.09)
    expect(share).toBeLessThan(0.103)
  })

  it('lets as many in at once again after a rest, and no more', async () => {
    const pace = begin()
    await pace.waits(50)
    pace.rest(3_600_000)
    const waits = await pace.waits(25)
    expect(waits.slice(0, 20)).toEqual(Array(20).fill(0))
    expect(waits.at(-1)).toBeGreaterThan(0)
  })

  it('counts what a piece took, however long that was', async () => {
    const pace = begin()
    expect(await pace.waits(1, 1_200)).toEqual([0])
    expect((await pace.waits(1, 1))[0]).toBeGreaterThan(8_000)
  })

  it('counts work that failed, and hands its failure on', async () => {
    let nowMs = 0
    const waited: number[] = []
    const waitMs = async (ms: number): Promise<void> => void waited.push(Math.round(ms))
    const pace = createPace({ freeMs: 0, share: 0.5, monotonicMs: () => nowMs, waitMs })
    const failing = async (): Promise<never> => {
      nowMs += 10
      throw new Error('no')
    }
    await expect(pace(failing)).rejects.toThrow('no')
    expect(await pace(async () => 'yes')).toBe('yes')
    expect(waited).toEqual([10])
  })
})
