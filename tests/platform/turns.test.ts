import { describe, expect, it } from 'vitest'
import { Unavailable } from '#platform/errors.ts'
import { createTurns, type TurnLimits } from '#platform/concurrency.ts'
import { patienceMs } from '#tests/support/patience.ts'

const usual: TurnLimits = { atOnceMax: 2, waitingMax: 3, waitMsMax: patienceMs, sentence: 'Later.' }

function createWork(limits: Partial<TurnLimits> = {}) {
  const turns = createTurns({ ...usual, ...limits })
  const begun: string[] = []
  const gates = new Map<string, PromiseWithResolvers<string>>()
  return {
    begun,
    run: (owner: string, name: string): Promise<string> =>
      turns.run(owner, () => {
        begun.push(name)
        const gate = Promise.withResolvers<string>()
        gates.set(name, gate)
        return gate.promise
      }),
    end: (name: string) => gates.get(name)?.resolve(`${name} done`),
    fail: (name: string) => gates.get(name)?.reject(new Error(`${name} failed`)),
  }
}

describe('one owner', () => {
  it('has a limited number of tasks at once, and the others wait in their order', async () => {
    const { run, begun, end } = createWork()
    const [a, b, c, d] = ['a', 'b', 'c', 'd'].map((name) => run('owner', name))
    await expect.poll(() => begun).toEqual(['a', 'b'])
    end('b')
    expect(await b).toBe('b done')
    await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
    end('a')
    await expect.poll(() => begun).toEqual(['a', 'b', 'c', 'd'])
    end('c')
    end('d')
    expect(await Promise.all([a, c, d])).toEqual(['a done', 'c done', 'd done'])
  })

  it('is refused work that is not started when too much waits', async () => {
    const { run, begun, end } = createWork()
    const taken = ['a', 'b', 'c', 'd', 'e'].map((name) => run('owner', name))
    await expect(run('owner', 'f')).rejects.toThrow(new Unavailable('Later.'))
    for (const name of ['a', 'b', 'c', 'd', 'e']) {
      await expect.poll(() => begun).toContain(name)
      end(name)
    }
    expect(await Promise.all(taken)).toHaveLength(5)
    expect(begun).not.toContain('f')
  })

  it('does not wait forever', async () => {
    const { run, begun, end } = createWork({ atOnceMax: 1, waitMsMax: 10 })
    const first = run('owner', 'a')
    await expect(run('owner', 'b')).rejects.toThrow(new Unavailable('Later.'))
    end('a')
    await first
    const next = run('owner', 'c')
    await expect.poll(() => begun).toEqual(['a', 'c'])
    end('c')
    await next
  })

  it('whose work fails gives up its turn', async () => {
    const { run, begun, fail, end } = createWork({ atOnceMax: 1 })
    const [failing, next] = [run('owner', 'a'), run('owner', 'b')]
    await expect.poll(() => begun).toEqual(['a'])
    fail('a')
    await expect(failing).rejects.toThrow('a failed')
    await expect.poll(() => begun).toEqual(['a', 'b'])
    end('b')
    expect(await next).toBe('b done')
  })
})

describe('many owners', () => {
  it('do not wait for each other', async () => {
    const { run, begun, end } = createWork({ atOnceMax: 1 })
    const all = [run('one', 'a'), run('one', 'b'), run('other', 'c')]
    await expect.poll(() => begun).toEqual(['a', 'c'])
    for (const name of ['a', 'c']) end(name)
    await expect.poll(() => begun).toEqual(['a', 'c', 'b'])
    end('b')
    await Promise.all(all)
  })

  it('wait at the common limit, and an owner without work in progress is next', async () => {
    const { run, begun, end } = createWork({ atOnceInAllMax: 3 })
    const names = ['a', 'b', 'c', 'd', 'e', 'f']
    const owners = ['one', 'one', 'other', 'other', 'one', 'third']
    const all = names.map((name, index) => run(owners[index] ?? '', name))
    await expect.poll(() => begun).toEqual(['a', 'b', 'c'])
    for (const [name, next] of [
      ['a', 'f'],
      ['b', 'e'],
      ['c', 'd'],
    ] as const) {
      end(name)
      await expect.poll(() => begun).toContain(next)
    }
    for (const name of ['d', 'e', 'f']) end(name)
    expect(await Promise.all(all)).toEqual(names.map((name) => `${name} done`))
    expect(begun).toEqual(['a', 'b', 'c', 'f', 'e', 'd'])
  })

  it('take turns, however much each has asked for', async () => {
    const { run, begun, end } = createWork({ atOnceMax: 1, atOnceInAllMax: 1 })
    const all = [
      run('one', 'a1'),
      run('one', 'a2'),
      run('one', 'a3'),
      run('other', 'b1'),
      run('third', 'c1'),
      run('other', 'b2'),
    ]
    const order = ['a1', 'b1', 'c1', 'a2', 'b2', 'a3']
    for (const name of order) {
      await expect.poll(() => begun).toContain(name)
      end(name)
    }
    await Promise.all(all)
    expect(begun).toEqual(order)
  })

  it('are refused at the common limit if none may wait', async () => {
    const { run, begun, end } = createWork({ atOnceInAllMax: 2, waitingMax: 0 })
    const all = [run('one', 'a'), run('other', 'b')]
    await expect(run('third', 'c')).rejects.toThrow(new Unavailable('Later.'))
    end('a')
    await all[0]
    const late = run('third', 'd')
    await expect.poll(() => begun).toEqual(['a', 'b', 'd'])
    for (const name of ['b', 'd']) end(name)
    await Promise.all([...all, late])
  })

  it('do not wait forever for each other', async () => {
    const { run, begun, end } = createWork({ atOnceInAllMax: 1, waitMsMax: 10 })
    const first = run('one', 'a')
    await expect(run('other', 'b')).rejects.toThrow(new Unavailable('Later.'))
    end('a')
    await first
    const next = run('other', 'c')
    await expect.poll(() => begun).toEqual(['a', 'c'])
    end('c')
    await next
  })
})
