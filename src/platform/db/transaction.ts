// A transaction with guards, in two phases: reads are awaited with `query`; writes are `send`-ed without waiting, and
// COMMIT follows right behind them, so that a batch costs two round trips. A failed write turns the COMMIT into a
// ROLLBACK, which is detected. Using a transaction after its end is a bug and throws.

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

  /** Every statement of a batch takes its lane from here. */
  get lane(): number {
    return present(this.#lane, 'a transaction of no lane was asked for its lane')
  }

  query<R extends object = Row>(what: Statement, values: readonly unknown[] = []): Promise<R[]> {
    this.#assertOpen()
    const answer = run<R>(this.#client, what, values)
    this.#note(answer)
    return answer
  }

  /** Sends a write whose result is not needed before the commit. */
  send(what: Statement, values: readonly unknown[] = []): void {
    this.#assertOpen()
    const answer = run(this.#client, what, values)
    this.#note(answer)
    this.#sent.push(answer)
  }

  /** Runs after the work and before COMMIT is sent, to write what was collected. */
  beforeCommit(hook: () => void | Promise<void>): void {
    this.#assertOpen()
    this.#beforeCommit.push(hook)
  }

  /**
   * Runs after all `beforeCommit` hooks: for locks that many transactions want, so that they are held as briefly as
   * possible.
   */
  lastBeforeCommit(hook: () => void | Promise<void>): void {
    this.#assertOpen()
    this.#lastBeforeCommit.push(hook)
  }

  /** Runs only if the commit is known to have happened. */
  afterCommit(hook: () => void): void {
    this.#assertOpen()
    this.#afterCommit.push(hook)
  }

  /** A value that several pieces of work share in this transaction, created at first use. */
  shared<T>(key: symbol, make: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, make())
    return this.#shared.get(key) as T
  }

  /** This method and those below are for `runTransaction` only. */
  async finish(): Promise<void> {
    for (const hooks of [this.#beforeCommit, this.#lastBeforeCommit]) for (const hook of hooks) await hook()
    this.#assertOpen()
    this.abandon()
  }

  /** Later uses of the transaction throw `reason`. */
  abandon(reason = new Error('assertion failed: a transaction was used after its end')): void {
    this.#ended ??= reason
  }

  /** The error of the first statement that failed, once all sent statements are answered. */
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
  /** The lane whose tenants the transaction reads and writes. */
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
  // BEGIN is not awaited: it leaves together with the first statements of the work. If it alone failed, each of those
  // would commit by itself, so the transaction is abandoned.
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

/** An error in a hook must not make committed work look failed, because the caller would repeat it. */
function runHook(hook: () => void, log: Log): void {
  try {
    hook()
  } catch (error) {
    log.error({ err: error }, 'what was to follow a commit failed')
  }
}
