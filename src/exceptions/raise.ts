// Raising exceptions, and closing those that have settled themselves, in the transaction that makes it so. What a
// transaction gathers leaves at its end as two statements, after everything else is locked; none, when nothing was gathered.

import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { formatId, newUuid } from '#base/ids.ts'
import type { ExceptionKind, Fact } from './exception.ts'
import { closeOfSubjects, insertExceptions, type NewException } from './sql.ts'

type Reporter = Pick<Context, 'clock' | 'log'>

/** The same fact raises nothing new, also after somebody has closed it. */
export function raise(ctx: Reporter, tx: Tx, fact: Fact): void {
  const nowMs = ctx.clock.now()
  gatheredIn(ctx, tx).raised.push({ ...fact, id: newUuid(nowMs), raisedAt: new Date(nowMs) })
}

/** `fact`: of this fact alone. */
export type Settled = { kind: ExceptionKind; subject: string; note: string; fact?: string }

/** Closes what is open of this kind about this subject: it waits for nobody any more. */
export function settleExceptions(ctx: Reporter, tx: Tx, settled: Settled[]): void {
  gatheredIn(ctx, tx).settled.push(...settled)
}

type Gathered = { raised: NewException[]; settled: Settled[] }

const key = Symbol('exceptions of this transaction')

function gatheredIn(ctx: Reporter, tx: Tx): Gathered {
  return tx.shared(key, () => {
    const gathered: Gathered = { raised: [], settled: [] }
    tx.beforeCommit(() => write(ctx, tx, gathered))
    return gathered
  })
}

/** Sorted, so that transactions which write about the same things wait for each other in line. */
async function write(ctx: Reporter, tx: Tx, gathered: Gathered): Promise<void> {
  const { settled } = gathered
  // What settles itself in the transaction that notices it waits for nobody.
  const raised = gathered.raised.filter((one) => !settled.some((end) => isAbout(end, one)))
  if (settled.length > 0) {
    const at = new Date(ctx.clock.now())
    closeOfSubjects(tx, settled.toSorted(by(({ kind, subject }) => `${kind} ${subject}`)), at)
  }
  if (raised.length === 0) return
  // Awaited, because only what is new is told.
  const added = await insertExceptions(
    tx,
    raised.toSorted(by(({ kind, subject, fact }) => `${kind} ${subject} ${fact}`)),
  )
  tx.afterCommit(() => {
    for (const one of raised) {
      if (!added.has(one.id)) continue
      const { id, environment, kind, subject, fact } = one
      const about = { exception: formatId('exception', id), environment, kind, subject, fact }
      ctx.log.warn(about, 'a fact about money waits for a person; see: manilla exceptions list')
    }
  })
}

function isAbout(end: Settled, { kind, subject, fact }: Fact): boolean {
  return end.kind === kind && end.subject === subject && (end.fact ?? fact) === fact
}

function by<T>(textOf: (one: T) => string): (left: T, right: T) => number {
  return (left, right) => (textOf(left) < textOf(right) ? -1 : 1)
}
