import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { createQueueByKey } from '#payments/verify-otp.ts'

function job() {
  const { promise, resolve, reject } = Promise.withResolvers<string>()
  const state = { begun: false }
  const work = (): Promise<string> => {
    state.begun = true
    return promise
  }
  return { work, state, end: resolve, fail: reject }
}

const turn = (): Promise<void> => new Promise((resolve) => setImmediate(resolve))

describe('work of one key', () => {
  it('is done one after the other, and that of another key beside it', async () => {
    const queue = createQueueByKey(9)
    const [first, second, other] = [job(), job(), job()]
    const put = (key: string, work: () => Promise<string>) => present(queue(key, work), 'there is room')
    const results = [put('a', first.work), put('a', second.work), put('b', other.work)]
    await turn()
    expect([first.state.begun, second.state.begun, other.state.begun]).toEqual([true, false, true])
    first.end('one')
    await turn()
    expect(second.state.begun).toBe(true)
    second.end('two')
    other.end('three')
    expect(await Promise.all(results)).toEqual(['one', 'two', 'three'])
  })

  it('goes on after a failure, which only the caller of the failed work sees', async () => {
    const queue = createQueueByKey(9)
    const [first, second] = [job(), job()]
    const results = [queue('a', first.work), queue('a', second.work)]
    first.fail(new Error('no'))
    second.end('two')
    await expect(results[0]).rejects.toThrow('no')
    expect(await results[1]).toBe('two')
  })

  it('is refused while the limit of waiting work is reached', async () => {
    const queue = createQueueByKey(2)
    const [first, second, third] = [job(), job(), job()]
    const results = [queue('a', first.work), queue('a', second.work)]
    expect(queue('a', third.work)).toBeUndefined()
    expect(queue('b', third.work)).toBeDefined()
    first.end('one')
    await results[0]
    expect(queue('a', third.work)).toBeDefined()
    expect(queue('a', third.work)).toBeUndefined()
  })

  it('is accepted again when all of it is done, however often that was', async () => {
    const queue = createQueueByKey(1)
    for (const name of ['one', 'two', 'three']) expect(await queue('a', async () => name)).toBe(name)
  })
})
