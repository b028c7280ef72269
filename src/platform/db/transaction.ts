// A transaction is a type with guards, in two phases: reads are awaited with `query`; writes are `send`-ed without
// waiting, and COMMIT leaves right behind them, so that a batch costs two round trips. A failed write turns the COMMIT
// into a ROLLBACK, which is noticed. Using a transaction after its end is a bug and throws.

import type pg from 'pg'
import { present } from '#platform/assert.ts'
import type { Log } from '#platform/observability/log.ts'
import { isConsequence, run, toFault, type InLane, type Row, type Statement } from './statement.ts'

export class Tx implements InLane {
  #client: pg.ClientBase
  #lane: number | undefined
  #ended: Error | undefined
  #sent: Promise<unknown>[] = []
  #failure: Error | undefined
  #beforeCommit: (() => void | Promise<void>)[] = []
  #lastBeforeCommit: (() => void | Promise<void>)[] = []
  #afterCommit: (() => void)[] = []
  #shared = new Map<symbol, unknown>()

  constructor(client: pg.ClientBase, lane?: number) {
    this.#client = client
    this.#lane = lane
  }

  /** The one source of the number that every statement of a batch carries. */
  get lane(): number {
    return present(this.#lane, 'a transaction of no lane was asked for its lane')
  }

  query<R extends object = Row>(what: Statement, values: readonly unknown[] = []): Promise<R[]> {
    this.#assertOpen()
    const answer = run<R>(this.#client, what, values)
    this.#note(answer)
    return answer
  }

  /** A write whose answer nobody needs before the commit. */
  send(what: Statement, values: readonly unknown[] = []): void {
    this.#assertOpen()
    const answer = run(this.#client, what, values)
    this.#note(answer)
    this.#sent.push(answer)
  }

  /** Runs when the work is done and before COMMIT leaves: the place to write what was gathered. */
  beforeCommit(hook: () => void | Promise<void>): void {
    this.#assertOpen()
    this.#beforeCommit.push(hook)
  }

  /** Runs when all of those have: for what everybody waits for, so that it is held as shortly as can be. */
  lastBeforeCommit(hook: () => void | Promise<void>): void {
    this.#assertOpen()
    this.#lastBeforeCommit.push(hook)
  }

  /** Runs only if the commit is known to have happened. */
  afterCommit(hook: () => void): void {
    this.#assertOpen()
    this.#afterCommit.push(hook)
  }

  /** What several pieces of work gather in this one transaction, made at first use. */
  shared<T>(key: symbol, make: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, make())
    return this.#shared.get(key) as T
  }

  /** For `runTransaction` only, as is what follows. */
  async finish(): Promise<void> {
    for (const hooks of [this.#beforeCommit, this.#lastBeforeCommit]) for (const hook of hooks) await hook()
    this.#assertOpen()
    this.abandon()
  }

  /** Whoever goes on using the transaction is told the reason. */
  abandon(reason = new Error('assertion failed: a transaction was used after its end')): void {
    this.#ended ??= reason
  }

  /** Why the first statement that failed did so, once all that were sent are answered. */
  async failure(): Promise<Error | undefined> {
    await Promise.allSettled(this.#sent)
    return this.#failure
  }

  committed(log: Log): void {
    for (const hook of this.#afterCommit) runHook(hook, log)
  }

  #note(answer: Promise<unknown>): void {
    answer.catch((reason: unknown) => (this.#failure ??= toFault(reason)))
  }

  #assertOpen(): void {
    if (this.#ended !== undefined) throw this.#ended
  }
}

export type TransactionOptions = {
  /** Of a lane: all that it reads and writes of tenants is theirs who live in it. */
  lane?: number | undefined
  begin?: string
}

export async function runTransaction<T>(
  client: pg.ClientBase,
  log: Log,
  work: (tx: Tx) => Promise<T>,
  { lane, begin = 'begin' }: TransactionOptions = {},
): Promise<T> {
  const tx = new Tx(client, lane)
  // BEGIN is not awaited: it leaves together with the first statements of the work. Should it fail alone, what follows
  // would be kept statement by statement, so nothing may follow.
  client.query(begin).catch((error: unknown) => tx.abandon(toFault(error)))
  let value: T
  try {
    value = await work(tx)
    await tx.finish()
  } catch (error) {
    tx.abandon()
    await client.query('rollback').catch(() => undefined)
    throw isConsequence(error) ? ((await tx.failure()) ?? error) : error
  }
  const [commit] = await Promise.allSettled([client.query('commit')])
  const failure = await tx.failure()
  if (failure !== undefined) throw failure
  if (commit.status === 'rejected') throw toFault(commit.reason)
  if (commit.value.command !== 'COMMIT') throw new Error('assertion failed: the transaction was rolled back')
  tx.committed(log)
  return value
}

/** What was committed must not look as if it had failed: somebody would do it again. */
function runHook(hook: () => void, log: Log): void {
  try {
    hook()
  } catch (error) {
    log.error({ err: error }, 'what was to follow a commit failed')
  }
}
