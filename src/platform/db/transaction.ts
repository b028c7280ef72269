// A transaction in two phases: reads are awaited with `query`; writes are `send`-ed without waiting, and COMMIT follows
// right behind them, so that a batch costs two round trips. Statements of one turn of the event loop are sent together,
// at its `process.nextTick`. Microtasks run before that, so a statement that a microtask adds is sent with the others.
// PostgreSQL runs all statements in the order in which they were asked for, and skips the COMMIT after a failed write.
// Using a transaction after its end is a bug and throws.

import type pg from 'pg'
import { assert, present } from '#platform/assert.ts'
import type { Log } from '#platform/observability/log.ts'
import { isConsequence, toFault } from './postgres-errors.ts'
import { sendTogether, skippedStatement, type StatementResult, type AskedStatement } from './round-trip.ts'
import { bindStatement, statement, type InLane, type Row, type Statement } from './statement.ts'

const begin = statement('base.begin', 'begin')
const commit = statement('base.commit', 'commit')

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
  #asked: AskedStatement[] = []
  #leaves = false
  #hasBegun = false

  constructor(client: pg.ClientBase, lane?: number) {
    this.#client = client
    this.#lane = lane
    // BEGIN is sent together with the first statements, which PostgreSQL skips if BEGIN fails. Later statements would
    // commit by themselves, so the transaction is abandoned.
    this.#ask(begin, []).catch((error: unknown) => this.abandon(toFault(error)))
  }

  get lane(): number {
    return present(this.#lane, 'a transaction of no lane was asked for its lane')
  }

  query<R extends object = Row>(what: Statement, values: readonly unknown[] = []): Promise<R[]> {
    this.#assertOpen()
    const answer = this.#ask(what, values).then(({ rows }) => rows as R[])
    this.#note(answer)
    return answer
  }

  send(what: Statement, values: readonly unknown[] = []): void {
    this.#assertOpen()
    const answer = this.#ask(what, values)
    this.#note(answer)
    this.#sent.push(answer)
  }

  /** Runs after the work and before COMMIT, to write the rows that the work has collected. */
  beforeCommit(hook: () => void | Promise<void>): void {
    this.#assertOpen()
    this.#beforeCommit.push(hook)
  }

  /**
   * Runs after the `beforeCommit` hooks: for locks that many transactions want, so that they are held as briefly as
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

  shared<T>(key: symbol, make: () => T): T {
    if (!this.#shared.has(key)) this.#shared.set(key, make())
    return this.#shared.get(key) as T
  }

  #ask(what: Statement, values: readonly unknown[]): Promise<StatementResult> {
    const bound = bindStatement(this.#client, what, values)
    return new Promise((resolve, reject) => {
      this.#asked.push({ ...bound, resolve, reject: (error) => reject(toFault(error)) })
      if (this.#leaves || what === begin) return // BEGIN leaves with the first statement.
      this.#leaves = true
      process.nextTick(() => this.#leave())
    })
  }

  #leave(): void {
    this.#leaves = false
    const asked = this.#asked.splice(0)
    if (asked.length === 0) return
    this.#hasBegun = true
    sendTogether(this.#client, asked)
  }

  /** `commit` and the methods below are for `runTransaction` only. */
  commit(): Promise<StatementResult> {
    return this.#ask(commit, [])
  }

  /** Statements that were not sent are dropped. */
  async rollback(): Promise<void> {
    for (const { reject } of this.#asked.splice(0)) reject(skippedStatement())
    if (this.#hasBegun) await this.#client.query('rollback').catch(() => undefined)
  }

  async finish(): Promise<void> {
    for (const hooks of [this.#beforeCommit, this.#lastBeforeCommit]) for (const hook of hooks) await hook()
    this.#assertOpen()
    this.abandon()
  }

  abandon(reason = new Error('assertion failed: a transaction was used after its end')): void {
    this.#ended ??= reason
  }

  /** Waits until all statements of `send` are answered, and resolves with the error of the first that failed. */
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
  lane?: number | undefined
}

export async function runTransaction<T>(
  client: pg.ClientBase,
  log: Log,
  work: (tx: Tx) => Promise<T>,
  { lane }: TransactionOptions = {},
): Promise<T> {
  const tx = new Tx(client, lane)
  let value: T
  try {
    value = await work(tx)
    await tx.finish()
  } catch (error) {
    tx.abandon()
    await tx.rollback()
    throw isConsequence(error) ? ((await tx.failure()) ?? error) : error
  }
  const [end] = await Promise.allSettled([tx.commit()])
  const failure = (await tx.failure()) ?? (end.status === 'rejected' ? toFault(end.reason) : undefined)
  if (failure !== undefined) {
    await tx.rollback()
    throw failure
  }
  assert(end.status === 'fulfilled' && end.value.command === 'COMMIT', 'the transaction was rolled back')
  tx.committed(log)
  return value
}

/** Committed work must not look failed because of a hook, because the caller would repeat it. */
function runHook(hook: () => void, log: Log): void {
  try {
    hook()
  } catch (error) {
    log.error({ err: error }, 'after-commit hook failed')
  }
}
