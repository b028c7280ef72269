// Runs writes in batches. While one batch commits, commands queue; the next batch takes them. So the balance row of a
// busy business is locked once for hundreds of requests, and the disk is flushed once. ARCHITECTURE.md ("Every write is
// a batch") has the order in which transactions lock rows.
//
// Guarantees, each with a test:
//   - one transaction at a time, commands in order of arrival within each operation;
//   - a command that fails does not fail the others: the batch is split until the failing command is alone;
//   - a lost connection rejects the batch as Unavailable and never retries it, because the commit may have happened;
//   - a full lane rejects callers at once, so that they learn of overload in microseconds instead of seconds, and goes
//     on with work that the service has accepted;
//   - commands that were submitted together keep their order, and share batches with single ones without displacing
//     them.

import type { Context } from '#platform/context.ts'
import { Unavailable } from '#platform/errors.ts'
import type { Metrics } from '#platform/observability/metrics.ts'
import { connectionBudget, isConflict, type DatabaseConnection, type Tx } from './db.ts'

/**
 * `run` returns one outcome for each command, in the same order. A business rule that refuses is an outcome; an
 * exception is a bug or a database error.
 */
export type Operation<C, O> = {
  name: string
  run: (tx: Tx, commands: C[]) => Promise<O[]>
}

export type Lane = {
  /** For requests of callers. Resolves after the commit; rejects at once if the lane is full. */
  submit<C, O>(operation: Operation<C, O>, command: C): Promise<O>
  /**
   * Accepts all commands or, if too many wait, none. They run in their order, in one batch or several, and each outcome
   * resolves after its commit. A command that fails for its own reason is rejected alone; if the database is
   * unavailable, those that still wait are rejected too. `goesOn`: the commands belong to work that was already
   * accepted, so a full lane does not refuse them.
   */
  submitAll<C, O>(operation: Operation<C, O>, commands: C[], goesOn?: boolean): Promise<O>[]
  /**
   * For the service's own work, which is limited at its source. It is queued even if the lane is full, and does not
   * count toward the limit for callers. So a full lane finishes accepted work, and a burst of such work causes no
   * refusals. While callers and own work both wait, callers have a share of each batch, so that a burst of own work
   * does not delay them either.
   */
  submitOwn<C, O>(operation: Operation<C, O>, command: C): Promise<O>
  waiting(): number
  drain(): Promise<void>
}

export type Lanes = { of(lane: number): Lane; drain(): Promise<void> }

export type Writer = { ctx: Context; laneOf: (lane: number) => Lane }

type LanesOptions = {
  /** The prefix of the names of the connections and, unless it is `lane`, of the lanes in metrics. */
  name?: string
  /** If there are more lanes than this, several share a connection, and their batches take turns on it. */
  connectionsMax?: number
  commandsPerBatchMax?: number
}

export function createLanes({ db, metrics }: Pick<Context, 'db' | 'metrics'>, options: LanesOptions = {}): Lanes {
  const { name = 'lane', connectionsMax = connectionBudget.lanes, commandsPerBatchMax } = options
  const lanes = new Map<number, Lane>()
  const connections = new Map<number, DatabaseConnection>()

  function connectionOf(number: number): DatabaseConnection {
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

type WaitingItem = {
  operation: Operation<unknown, unknown>
  command: unknown
  resolve: (outcome: unknown) => void
  reject: (error: unknown) => void
}

const conflictRetriesMax = 5
/** A larger batch costs less per command, because some milliseconds of a batch do not depend on its size. */
const commandsPerBatchDefault = 256
/**
 * If one batch held all waiting callers, the next batch would be empty, and the database would be idle until the
 * service has answered them.
 */
const callersPerBatchMax = 128
/**
 * The share of the service's own work in a batch while callers wait too. Each accepted command comes back as own work a
 * second later, so a little over half makes the backlog of own work shrink. The share grows up to three quarters if the
 * backlog would last for more than `ownBatchesMax` batches. If it were always three quarters, callers would wait every
 * other second: a burst of own work would leave few places to callers. A second later there would then be little own
 * work, and a burst of callers.
 */
const ownShareLeast = 0.52
const ownShareMost = 3 / 4
const ownBatchesMax = 12
/** Bulk commands are added to a batch of single commands, so that no single command has to wait for a later batch. */
const bulkPerBatchDefault = 256
/** Sixteen bulk requests of a thousand commands: about a second of work. */
const bulkWaitingDefault = 16_384

export function createLane(options: LaneOptions): Lane {
  const { commandsPerBatchMax = commandsPerBatchDefault, commandsWaitingMax = 4_096 } = options
  const { bulkPerBatchMax = bulkPerBatchDefault, bulkWaitingMax = bulkWaitingDefault } = options
  const callers: WaitingItem[] = []
  const own: WaitingItem[] = []
  const bulks = createBulkLines<WaitingItem>()
  let pump: Promise<void> | undefined
  let draining = false
  options.metrics.laneSplits.inc({ lane: options.name }, 0)

  const waiting = (): number => callers.length + own.length + bulks.waiting()

  // For example, of 300 callers and 1,000 own commands, a batch of 256 takes 122 and 134.
  function takeBatch(): WaitingItem[] {
    const forCallers = Math.min(callers.length, commandsPerBatchMax - placesOfOwn(own.length, commandsPerBatchMax))
    const ours = own.splice(0, commandsPerBatchMax - forCallers)
    const asked = callers.splice(0, Math.min(callersPerBatchMax, commandsPerBatchMax - ours.length))
    return [...asked, ...ours, ...bulks.take(bulkPerBatchMax)]
  }

  async function runQueue(): Promise<void> {
    await new Promise<void>((resolve) => setImmediate(resolve))
    while (waiting() > 0) {
      const answer = await runMeasured(options, takeBatch, waiting)
      // The next batch is sent before these callers are answered, because answering takes about as long as a batch.
      if (waiting() > 0) setImmediate(answer)
      else answer()
    }
    pump = undefined
  }

  function enqueue<C, O>(queue: WaitingItem[], waitingMax: number, operation: Operation<C, O>, command: C): Promise<O> {
    const refusal = refusalOf(draining, queue.length >= waitingMax)
    if (refusal !== undefined) return Promise.reject(refusal)
    return new Promise<O>((resolve, reject) => {
      queue.push({ operation, command, resolve, reject } as WaitingItem)
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

function placesOfOwn(waiting: number, commandsPerBatchMax: number): number {
  const wanted = Math.max(waiting / ownBatchesMax, commandsPerBatchMax * ownShareLeast)
  return Math.ceil(Math.min(wanted, commandsPerBatchMax * ownShareMost))
}

function refusalOf(draining: boolean, full: boolean): Unavailable | undefined {
  if (draining) return new Unavailable('The service is shutting down.')
  return full ? new Unavailable('Too many requests are waiting. Try again shortly.') : undefined
}

/**
 * Commands that were submitted together. If the outcome of one is unknown, those behind it are rejected, so that they
 * do not overtake it. This empties `line`, and `createBulkLines` skips an empty line.
 */
function lineOf<C, O>(operation: Operation<C, O>, commands: C[]): { line: WaitingItem[]; outcomes: Promise<O>[] } {
  const line: WaitingItem[] = []
  const outcomes = commands.map(
    (command) =>
      new Promise<O>((resolve, reject) => {
        const rejectRest = (error: unknown): void => {
          reject(error)
          if (error instanceof Unavailable) line.splice(0).forEach((left) => left.reject(error))
        }
        line.push({ operation, command, resolve, reject: rejectRest } as WaitingItem)
      }),
  )
  return { line, outcomes }
}

/**
 * Runs one batch. Resolves with a function that answers the callers. Other lanes may be using the connection first. So
 * the batch is taken only when its transaction begins, and includes the commands that arrived until then.
 */
async function runMeasured(
  options: LaneOptions,
  takeBatch: () => WaitingItem[],
  waiting: () => number,
): Promise<() => void> {
  const { metrics, name: lane } = options
  const stop = metrics.laneSeconds.startTimer({ lane })
  const { answer } = await runBatch(options, () => {
    const batch = takeBatch()
    metrics.laneWaiting.set({ lane }, waiting())
    metrics.laneBatchSize.observe({ lane }, batch.length)
    return batch
  })
  stop()
  return answer
}

/**
 * `lost` is set if the outcome of some commands is unknown; these are rejected already. `answer` resolves the others.
 */
type BatchEnd = { answer: () => void; lost: Unavailable | undefined }

async function runBatch(options: LaneOptions, take: () => WaitingItem[]): Promise<BatchEnd> {
  // After a conflict, the transaction runs the same batch again.
  let batch: WaitingItem[] | undefined
  const taken = (): WaitingItem[] => (batch ??= take())
  try {
    const outcomes = await commitBatch(options, taken)
    return { answer: () => taken().forEach((waiting, index) => waiting.resolve(outcomes[index])), lost: undefined }
  } catch (error) {
    const failed = taken()
    if (error instanceof Unavailable || failed.length <= 1) return rejectBatch(failed, error)
    options.metrics.laneSplits.inc({ lane: options.name })
    const half = Math.ceil(failed.length / 2)
    const [first, rest] = [await runBatch(options, () => failed.slice(0, half)), failed.slice(half)]
    // If the outcome of the first half is unknown, the rest is rejected too, because it may contain commands that were
    // submitted together with those and must not overtake them.
    const second = first.lost === undefined ? await runBatch(options, () => rest) : rejectBatch(rest, first.lost)
    return {
      answer() {
        first.answer()
        second.answer()
      },
      lost: second.lost,
    }
  }
}

/** Rejects now, because commands submitted together with one of these must not be in the next batch. */
function rejectBatch(batch: WaitingItem[], error: unknown): BatchEnd {
  batch.forEach(({ reject }) => reject(error))
  return { answer: () => undefined, lost: error instanceof Unavailable ? error : undefined }
}

async function commitBatch(options: LaneOptions, taken: () => WaitingItem[]): Promise<unknown[]> {
  for (let attempt = 1; ; attempt++) {
    try {
      return await options.transaction((tx) => runOperations(tx, taken()))
    } catch (error) {
      if (!isConflict(error) || attempt >= conflictRetriesMax) throw error
    }
  }
}

async function runOperations(tx: Tx, batch: WaitingItem[]): Promise<unknown[]> {
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
  // Every operation must have stopped using the transaction before it ends, also when one fails.
  const ends = await Promise.allSettled(runs)
  const failed = ends.find((end) => end.status === 'rejected')
  if (failed !== undefined) throw failed.reason
  return outcomes
}

const commandsPerTurnMax = 32

type BulkLines<W> = {
  push(line: W[]): void
  waiting(): number
  /** Takes up to `max` commands, in the order of each line. */
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
        taken.push(...line.splice(0, Math.min(commandsPerTurnMax, max - taken.length)))
        if (line.length > 0) lines.push(line)
        if (taken.length === max) break
      }
      return taken
    },
  }
}
