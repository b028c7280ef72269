// The heart: every write is a batch. While one batch commits, commands gather; the next batch takes them all. So a
// busy business's one balance row is locked once for hundreds of requests, and the disk is waited for once.
//
// Guarantees, each with a test:
//   - one transaction at a time, commands in order of arrival within each operation;
//   - a command that fails does not fail its neighbours: the batch is split until the culprit stands alone;
//   - a lost connection rejects the batch as Unavailable and is never run again here: the commit may have happened;
//   - a full lane rejects callers at once, so that they learn of overload in microseconds instead of seconds, and goes on
//     with what the service has promised;
//   - commands that were submitted together keep their order, and share batches with single ones without displacing them.

import type { Context } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { connectionBudget, isConflict, type Connection, type Tx } from './db.ts'

/**
 * What a room offers to a lane: one function over many commands, giving one outcome for each, in the same order. A rule
 * that refuses is an outcome; what is thrown is a bug, or the database's.
 */
export type Operation<C, O> = {
  name: string
  run: (tx: Tx, commands: C[]) => Promise<O[]>
}

export type Lane = {
  /** For what a caller asks. Resolves after the commit; is refused at once when the lane is full. */
  submit<C, O>(operation: Operation<C, O>, command: C): Promise<O>
  /**
   * Takes all of them or, where too many wait, none. An outcome resolves after the commit that carried it; they are decided
   * in their order, over one batch or several. One that fails for a reason of its own is rejected alone; when the database is
   * away, those of them that still wait are rejected too. `goesOn`: what they belong to was taken, and is not refused for
   * want of room.
   */
  submitAll<C, O>(operation: Operation<C, O>, commands: C[], goesOn?: boolean): Promise<O>[]
  /**
   * For the service's own work, which is limited where it comes from: it waits where a caller's command would be refused,
   * and does not count when one is. So a full lane goes on finishing what it promised, and a burst of that refuses nobody.
   * While both wait, callers have a share of each batch, so that a burst of outcomes does not hold them up either.
   */
  submitOwn<C, O>(operation: Operation<C, O>, command: C): Promise<O>
  waiting(): number
  /** Lets what was submitted finish; refuses what comes after. */
  drain(): Promise<void>
}

/** The lanes of a process: one per lane of the database, made at first use. */
export type Lanes = { of(lane: number): Lane; drain(): Promise<void> }

/** What a room writes through: the lane of a tenant takes its commands. */
export type Writer = { ctx: Context; laneOf: (lane: number) => Lane }

type LanesOptions = {
  /** Begins the names of their connections. */
  name?: string
  /** More lanes than this share connections, on which their batches take turns. */
  connectionsMax?: number
  commandsPerBatchMax?: number
}

export function createLanes({ db, metrics }: Pick<Context, 'db' | 'metrics'>, options: LanesOptions = {}): Lanes {
  const { name = 'lane', connectionsMax = connectionBudget.lanes, commandsPerBatchMax } = options
  const lanes = new Map<number, Lane>()
  const connections = new Map<number, Connection>()

  function connectionOf(number: number): Connection {
    const share = ((number - 1) % connectionsMax) + 1
    const connection = connections.get(share) ?? db.connection(`${name} ${share}`)
    connections.set(share, connection)
    return connection
  }

  return {
    of(number) {
      const found = lanes.get(number)
      if (found !== undefined) return found
      const connection = connectionOf(number)
      const lane = createLane({
        name: name === 'lane' ? String(number) : `${name} ${number}`,
        transaction: (work) => connection.transaction(work, number),
        metrics,
        commandsPerBatchMax,
      })
      lanes.set(number, lane)
      return lane
    },
    async drain() {
      await Promise.all([...lanes.values()].map((lane) => lane.drain()))
    },
  }
}

export type LaneOptions = {
  name: string
  transaction: <T>(work: (tx: Tx) => Promise<T>) => Promise<T>
  metrics: Metrics
  commandsPerBatchMax?: number | undefined
  commandsWaitingMax?: number | undefined
  bulkPerBatchMax?: number | undefined
  bulkWaitingMax?: number | undefined
}

type Waiting = {
  operation: Operation<unknown, unknown>
  command: unknown
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

const conflictRetriesMax = 5
/** Of a batch, while the service's own work waits too. What was promised is finished sooner than more is promised. */
const callersShare = 1 / 4
/** On top of a batch, so that no single command waits for a turn because of them; only the batch takes longer. */
const bulkPerBatchDefault = 256
/** Sixteen bulk requests of a thousand: about a second of work. */
const bulkWaitingDefault = 16_384

export function createLane(options: LaneOptions): Lane {
  const { commandsPerBatchMax = 128, commandsWaitingMax = 4_096 } = options
  const { bulkPerBatchMax = bulkPerBatchDefault, bulkWaitingMax = bulkWaitingDefault } = options
  const callers: Waiting[] = []
  const own: Waiting[] = []
  const bulks = createBulkLines<Waiting>()
  let pump: Promise<void> | undefined
  let draining = false
  options.metrics.laneSplits.inc({ lane: options.name }, 0)

  const waiting = (): number => callers.length + own.length + bulks.waiting()

  function takeBatch(): Waiting[] {
    const forCallers = Math.min(callers.length, Math.floor(commandsPerBatchMax * callersShare))
    const ours = own.splice(0, commandsPerBatchMax - forCallers)
    return [...callers.splice(0, commandsPerBatchMax - ours.length), ...ours, ...bulks.take(bulkPerBatchMax)]
  }

  async function runQueue(): Promise<void> {
    // Everything that arrives in this turn of the event loop shares the first batch.
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (waiting() > 0) {
      const answer = await runMeasured(options, takeBatch(), waiting)
      // The next batch is on its way to the database before these callers are answered, which takes as long as it does.
      if (waiting() > 0) setImmediate(answer)
      else answer()
    }
    pump = undefined
  }

  function enqueue<C, O>(queue: Waiting[], waitingMax: number, operation: Operation<C, O>, command: C): Promise<O> {
    const refusal = refusalOf(draining, queue.length >= waitingMax)
    if (refusal !== undefined) return Promise.reject(refusal)
    return new Promise<O>((resolve, reject) => {
      queue.push({ operation, command, resolve, reject } as Waiting)
      pump ??= runQueue()
    })
  }

  return {
    submit: (operation, command) => enqueue(callers, commandsWaitingMax, operation, command),
    submitOwn: (operation, command) => enqueue(own, Infinity, operation, command),
    submitAll<C, O>(operation: Operation<C, O>, commands: C[], goesOn = false) {
      const refusal = refusalOf(draining, !goesOn && bulks.waiting() + commands.length > bulkWaitingMax)
      if (refusal !== undefined) return commands.map(() => Promise.reject(refusal))
      const { line, outcomes } = lineOf(operation, commands)
      bulks.push(line)
      pump ??= runQueue()
      return outcomes
    },
    waiting,
    async drain() {
      draining = true
      await pump
    },
  }
}

function refusalOf(draining: boolean, full: boolean): Unavailable | undefined {
  if (draining) return new Unavailable('The service is shutting down.')
  return full ? new Unavailable('Too many requests are waiting. Try again shortly.') : undefined
}

/** Commands that wait together: when it is not known what became of one, those behind it do not overtake it. */
function lineOf<C, O>(operation: Operation<C, O>, commands: C[]): { line: Waiting[]; outcomes: Promise<O>[] } {
  const line: Waiting[] = []
  const outcomes = commands.map(
    (command) =>
      new Promise<O>((resolve, reject) => {
        const rejectRest = (error: unknown): void => {
          reject(error)
          if (error instanceof Unavailable) line.splice(0).forEach((left) => left.reject(error))
        }
        line.push({ operation, command, resolve, reject: rejectRest } as Waiting)
      }),
  )
  return { line, outcomes }
}

/** Resolves with what tells the callers, as what it calls does. */
async function runMeasured(options: LaneOptions, batch: Waiting[], waiting: () => number): Promise<() => void> {
  const { metrics, name: lane } = options
  metrics.laneWaiting.set({ lane }, waiting())
  metrics.laneBatchSize.observe({ lane }, batch.length)
  const stop = metrics.laneSeconds.startTimer({ lane })
  const answer = await runBatch(options, batch)
  stop()
  return answer
}

async function runBatch(options: LaneOptions, batch: Waiting[]): Promise<() => void> {
  try {
    const outcomes = await commitBatch(options, batch)
    return () => batch.forEach((waiting, index) => waiting.resolve(outcomes[index]))
  } catch (error) {
    if (error instanceof Unavailable || batch.length === 1) {
      // At once: what was submitted together with one of these must not be in the next batch.
      batch.forEach(({ reject }) => reject(error))
      return () => undefined
    }
    options.metrics.laneSplits.inc({ lane: options.name })
    const half = Math.ceil(batch.length / 2)
    const answerFirst = await runBatch(options, batch.slice(0, half))
    const answerSecond = await runBatch(options, batch.slice(half))
    return () => {
      answerFirst()
      answerSecond()
    }
  }
}

async function commitBatch(options: LaneOptions, batch: Waiting[]): Promise<unknown[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await options.transaction((tx) => runOperations(tx, batch))
    } catch (error) {
      if (!isConflict(error) || attempt >= conflictRetriesMax) throw error
    }
  }
}

/** Runs each operation of the batch over its commands; their statements share the round trips of one transaction. */
async function runOperations(tx: Tx, batch: Waiting[]): Promise<unknown[]> {
  const groups = new Map<Operation<unknown, unknown>, number[]>()
  batch.forEach(({ operation }, index) => {
    const group = groups.get(operation)
    if (group === undefined) groups.set(operation, [index])
    else group.push(index)
  })
  const outcomes: unknown[] = Array.from({ length: batch.length })
  const runs = [...groups].map(async ([operation, indexes]) => {
    const results = await operation.run(
      tx,
      indexes.map((index) => batch[index]?.command),
    )
    if (results.length !== indexes.length) throw new Error(`assertion failed: ${operation.name} lost an outcome`)
    indexes.forEach((index, position) => (outcomes[index] = results[position]))
  })
  // All of them must have stopped using the transaction before it ends, also when one fails.
  const ends = await Promise.allSettled(runs)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes
}

// Commands that were submitted together, such as the items of a bulk request, wait here in lines of their own, apart from
// the callers who come one by one. The lines take turns, so that ten commands do not wait for the thousand before them.

/** How many commands of one line go before it is the next line's turn. */
const turnMax = 32

type BulkLines<W> = {
  push(line: W[]): void
  waiting(): number
  /** At most so many, of each line in its order. Who pushed a line may empty it: then it has no turn. */
  take(max: number): W[]
}

function createBulkLines<W>(): BulkLines<W> {
  const lines: W[][] = []
  return {
    push: (line) => void lines.push(line),
    waiting: () => lines.reduce((sum, line) => sum + line.length, 0),
    take(max) {
      const taken: W[] = []
      for (let line = lines.shift(); line !== undefined; line = lines.shift()) {
        taken.push(...line.splice(0, Math.min(turnMax, max - taken.length)))
        if (line.length > 0) lines.push(line)
        if (taken.length === max) break
      }
      return taken
    },
  }
}
