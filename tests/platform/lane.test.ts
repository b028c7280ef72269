import fc from 'fast-check'
import { beforeEach, describe, expect, it } from 'vitest'
import { assert } from '#platform/assert.ts'
import { arrayOf, statement, type DatabaseConnection, type Tx } from '#platform/db/db.ts'
import { Unavailable } from '#platform/errors.ts'
import { createLane, type Lane, type LaneOptions, type Operation } from '#platform/db/lane.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { useTestDatabase } from '#tests/support/database.ts'
import { asOwner } from '#tests/support/owner.ts'
import { untilHolds } from '#tests/support/patience.ts'

const database = await useTestDatabase()
await asOwner(
  database,
  `create table counter (name text primary key, value bigint not null default 0, steps bigint not null default 0);
   create table step (name text not null, position bigint not null, value bigint not null check (value >= 0),
     primary key (name, position));
   grant select, insert, update, delete on counter, step to manilla_service`,
)

const db = database.connect()
const connection = db.connection('lane')
const read = statement('test.read', 'select value, steps from counter where name = $1 for update')
const write = statement('test.write', 'update counter set value = $2, steps = $3 where name = $1')
const insert = statement(
  'test.insert',
  'insert into step (name, position, value) select $1, * from unnest($2::bigint[], $3::bigint[])',
)

type Command = { add: bigint } | { bug: string }
type Step = { position: bigint; value: bigint }

/** Counts up and down, one row per step. It leaves the check against negative values to the database. */
function counting(name: string, seen: Command[][] = []): Operation<Command, Step> {
  return {
    name: `count ${name}`,
    async run(tx, commands) {
      seen.push(commands)
      const [row] = await tx.query<{ value: bigint; steps: bigint }>(read, [name])
      let { value, steps } = row ?? { value: 0n, steps: 0n }
      const taken = commands.map((command) => {
        assert('add' in command, 'bug' in command ? command.bug : '')
        value += command.add
        steps += 1n
        return { position: steps, value }
      })
      tx.send(insert, [name, arrayOf(taken, (step) => step.position), arrayOf(taken, (step) => step.value)])
      tx.send(write, [name, value, steps])
      return taken
    },
  }
}

function makeLane(options: Partial<LaneOptions> = {}, on: DatabaseConnection = connection): Lane {
  return createLane({ name: 'test', transaction: (work) => on.transaction(work), metrics: createMetrics(), ...options })
}

async function stepsOf(name: string): Promise<Step[]> {
  const all = statement('test.steps', 'select position, value from step where name = $1 order by position')
  return db.query<Step>(all, [name])
}

beforeEach(() =>
  asOwner(database, `delete from step; delete from counter; insert into counter (name) values ('a'), ('b')`),
)

describe('batches', () => {
  it('take the commands of one turn; those that arrive during the commit share the next batch', async () => {
    const seen: Command[][] = []
    const operation = counting('a', seen)
    let open = (): void => undefined
    const gate = new Promise<void>((resolve) => (open = resolve))
    const gated: Operation<Command, Step> = {
      name: 'gated',
      async run(tx, commands) {
        await gate
        return operation.run(tx, commands)
      },
    }
    const lane = makeLane()
    const first = [lane.submit(gated, { add: 1n }), lane.submit(gated, { add: 2n })]
    await untilHolds(() => expect(lane.waiting()).toBe(0))
    const rest = Array.from({ length: 50 }, () => lane.submit(gated, { add: 1n }))
    expect(lane.waiting()).toBe(50)
    open()
    await Promise.all([...first, ...rest])
    expect(seen.map((commands) => commands.length)).toEqual([2, 50])
  })

  it('have a limited number of commands', async () => {
    const seen: Command[][] = []
    const lane = makeLane({ commandsPerBatchMax: 10 })
    const operation = counting('a', seen)
    const steps = await Promise.all(Array.from({ length: 35 }, () => lane.submit(operation, { add: 1n })))
    expect(seen.map((commands) => commands.length)).toEqual([10, 10, 10, 5])
    expect(steps.map((step) => step.value)).toEqual(Array.from({ length: 35 }, (_, index) => BigInt(index + 1)))
  })

  it('begin before the callers of the batch before are answered', async () => {
    const order: string[] = []
    const noted: Operation<string, void> = {
      name: 'noted',
      run(_tx, commands) {
        order.push(`${commands.join()} begun`)
        return Promise.resolve(commands.map(() => undefined))
      },
    }
    const lane = makeLane({ commandsPerBatchMax: 1 })
    await Promise.all(['a', 'b', 'c'].map((name) => lane.submit(noted, name).then(() => order.push(`${name} told`))))
    expect(order).toEqual(['a begun', 'b begun', 'a told', 'c begun', 'b told', 'c told'])
  })

  it('are shared by own work and callers while both wait, and belong to one of them otherwise', async () => {
    const seen: string[] = []
    const counted = (name: string): Operation<null, void> => ({
      name,
      run(_tx, commands) {
        seen.push(`${commands.length} ${name}`)
        return Promise.resolve(commands.map(() => undefined))
      },
    })
    const lane = makeLane({ commandsPerBatchMax: 20 })
    const [own, asked] = [counted('own'), counted('asked')]
    await Promise.all([
      ...Array.from({ length: 41 }, () => lane.submitOwn(own, null)),
      ...Array.from({ length: 16 }, () => lane.submit(asked, null)),
    ])
    expect(seen).toEqual(['9 asked', '11 own', '7 asked', '13 own', '17 own'])
  })

  it('are refused to callers by a full lane until commands have ended', async () => {
    const lane = makeLane({ commandsWaitingMax: 3 })
    const operation = counting('a')
    const taken = Array.from({ length: 3 }, () => lane.submit(operation, { add: 1n }))
    const refused = lane.submit(operation, { add: 1n })
    const [first] = await Promise.allSettled([Promise.race([refused, ...taken])])
    expect(first).toMatchObject({ status: 'rejected', reason: expect.any(Unavailable) })
    await Promise.all(taken)
    await expect(lane.submit(operation, { add: 1n })).resolves.toEqual({ position: 4n, value: 4n })
  })

  it('include own work of the service that arrives at a full lane, also of the same operation', async () => {
    const lane = makeLane({ commandsWaitingMax: 3 })
    const operation = counting('a')
    const taken = Array.from({ length: 3 }, () => lane.submit(operation, { add: 1n }))
    const own = Array.from({ length: 5 }, () => lane.submitOwn(operation, { add: 10n }))
    await expect(lane.submit(operation, { add: 1n })).rejects.toThrow('Too many requests are waiting')
    const steps = await Promise.all([...taken, ...own])
    expect(steps.map((step) => step.value)).toEqual([1n, 2n, 3n, 13n, 23n, 33n, 43n, 53n])
  })
})

describe('one transaction', () => {
  it('runs all operations of a batch, and each command gets its outcome', async () => {
    const transactions: number[] = []
    const lane = makeLane({ transaction: (work) => (transactions.push(1), connection.transaction(work)) })
    const [a, b] = [counting('a'), counting('b')]
    const outcomes = await Promise.all([
      lane.submit(a, { add: 1n }),
      lane.submit(b, { add: 10n }),
      lane.submit(a, { add: 2n }),
      lane.submit(b, { add: 20n }),
    ])
    expect(outcomes.map((step) => step.value)).toEqual([1n, 10n, 3n, 30n])
    expect(transactions).toHaveLength(1)
  })

  it('runs at a time: the next begins when the one before has ended', async () => {
    let running = 0
    let most = 0
    const lane = makeLane({
      commandsPerBatchMax: 1,
      async transaction(work) {
        most = Math.max(most, ++running)
        return connection.transaction(work).finally(() => (running -= 1))
      },
    })
    const operation = counting('a')
    await Promise.all(Array.from({ length: 20 }, () => lane.submit(operation, { add: 1n })))
    expect(most).toBe(1)
  })
})

describe('a command that fails', () => {
  it('fails alone, whether the database or its operation refuses it', async () => {
    const lane = makeLane()
    const operation = counting('a')
    const commands: Command[] = [{ add: 5n }, { add: -9n }, { add: 1n }, { bug: 'poisoned' }, { add: 1n }]
    const [five, negative, six, bug, seven] = await Promise.allSettled(
      commands.map((command) => lane.submit(operation, command)),
    )
    expect(negative).toMatchObject({ status: 'rejected', reason: { code: '23514' } })
    expect(bug).toMatchObject({ status: 'rejected', reason: { message: 'assertion failed: poisoned' } })
    expect([five, six, seven]).toMatchObject([5n, 6n, 7n].map((value) => ({ status: 'fulfilled', value: { value } })))
  })

  it('does not affect the others: every batch ends as if its commands had run one by one', async () => {
    const command = fc.oneof(
      { weight: 6, arbitrary: fc.bigInt(-5n, 9n).map((add): Command => ({ add })) },
      { weight: 1, arbitrary: fc.constant<Command>({ bug: 'poisoned' }) },
    )
    const submitted = fc.array(fc.record({ to: fc.constantFrom('a', 'b'), command }), { minLength: 1, maxLength: 40 })
    const operations = { a: counting('a'), b: counting('b') }
    await fc.assert(
      fc.asyncProperty(submitted, fc.integer({ min: 1, max: 50 }), async (list, commandsPerBatchMax) => {
        await connection.transaction(async (tx) => {
          for (const table of ['step', 'counter']) tx.send(statement(`test.clear_${table}`, `delete from ${table}`))
          tx.send(statement('test.fill', `insert into counter (name) values ('a'), ('b')`))
        })
        const lane = makeLane({ commandsPerBatchMax })
        const answers = await Promise.allSettled(list.map((one) => lane.submit(operations[one.to], one.command)))
        const oracle = new Oracle()
        expect(answers.map((answer) => (answer.status === 'fulfilled' ? answer.value : 'failed'))).toEqual(
          list.map((one) => oracle.apply(one.to, one.command)),
        )
        expect({ a: await stepsOf('a'), b: await stepsOf('b') }).toEqual(oracle.steps)
      }),
      { numRuns: 40 },
    )
  })

  it('because its operation lost an outcome fails no other command', async () => {
    const lane = makeLane()
    const forgetful: Operation<Command, Step> = {
      name: 'forgetful',
      run: async (tx, commands) => (await counting('b').run(tx, commands)).slice(1),
    }
    const [good, bad, worse] = await Promise.allSettled([
      lane.submit(counting('a'), { add: 1n }),
      lane.submit(forgetful, { add: 1n }),
      lane.submit(forgetful, { add: 1n }),
    ])
    expect(good).toMatchObject({ status: 'fulfilled' })
    const lost = { status: 'rejected', reason: { message: 'assertion failed: forgetful lost an outcome' } }
    expect([bad, worse]).toMatchObject([lost, lost])
    expect(await stepsOf('b')).toEqual([])
  })
})

class Oracle {
  steps: Record<string, Step[]> = { a: [], b: [] }

  apply(name: string, command: Command): Step | 'failed' {
    const steps = this.steps[name] ?? []
    const value = (steps.at(-1)?.value ?? 0n) + ('add' in command ? command.add : 0n)
    if ('bug' in command || value < 0n) return 'failed'
    const step = { position: BigInt(steps.length + 1), value }
    steps.push(step)
    return step
  }
}

describe('a deadlock', () => {
  it('fails no command: the batch that had to give way runs again', async () => {
    let attempts = 0
    let holding = 0
    const crossing = (first: string, second: string): Operation<bigint, string> => ({
      name: `cross ${first}`,
      async run(tx: Tx, commands) {
        attempts += 1
        // If a loser came back at once, it could lock its first row before the other one wakes up, and both would
        // deadlock until the lane gives up.
        if (attempts > 2) await Promise.race(outcomes)
        await tx.query(read, [first])
        holding += 1
        // Both must hold one row before either asks for the other's row.
        await untilHolds(() => assert(holding >= 2, 'alone so far'))
        await tx.query(read, [second])
        tx.send(statement('test.cross', 'update counter set value = value + $2, steps = steps + 1 where name = $1'), [
          first,
          commands.length,
        ])
        return commands.map(() => first)
      },
    })
    const [left, right] = [makeLane({}, db.connection('left')), makeLane({}, db.connection('right'))]
    const outcomes = [left.submit(crossing('a', 'b'), 1n), right.submit(crossing('b', 'a'), 1n)]
    expect(await Promise.all(outcomes)).toEqual(['a', 'b'])
    expect(attempts).toBe(3)
    expect(await asOwner(database, 'select name, value::int, steps::int from counter order by name')).toEqual([
      { name: 'a', value: 1, steps: 1 },
      { name: 'b', value: 1, steps: 1 },
    ])
  })
})

describe('draining', () => {
  it('finishes submitted commands and refuses later ones', async () => {
    const lane = makeLane({ commandsPerBatchMax: 2 })
    const operation = counting('a')
    const before = Array.from({ length: 5 }, () => lane.submit(operation, { add: 1n }))
    const drained = lane.drain()
    await expect(lane.submit(operation, { add: 1n })).rejects.toBeInstanceOf(Unavailable)
    await drained
    expect(lane.waiting()).toBe(0)
    expect((await Promise.all(before)).map((step) => step.value)).toEqual([1n, 2n, 3n, 4n, 5n])
  })
})
