// What is noted beside a settlement, in its transaction: that a rail contradicts how a payment ended, what waits for nobody
// any more, and what a person did.

import { record } from '#audit/record.ts'
import type { Context } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import { raise, settleExceptions } from '#exceptions/raise.ts'
import { contradictionAbout, endedOtherwise, existsAndIsAbsent, unconcernedMs, wordOfRailLeft } from './concern.ts'
import { isFinal, type Payment } from './payment.ts'
import type { SettleCommand } from './settle.ts'
import { publicIdOf } from './wire.ts'

type Writers = { ctx: Context; tx: Tx }

/** Of codes, only that one was accepted: whatever else is said of them moves no money. */
const contradicting: readonly SettleCommand['result']['kind'][] = ['succeeded', 'failed', 'reversed', 'otp-accepted']

/** Only a rail's word: a person is told at once. On staging it is harmless, because testers complete payments, too. */
export function noteContradiction({ ctx, tx }: Writers, payment: Payment, { source, result }: SettleCommand): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || !contradicting.includes(result.kind)) return
  raise(ctx, tx, contradictionAbout(payment, source.environment, endedOtherwise(payment, result.kind)))
}

/** It had proved that it has not got the payment. That one failed there is what was known. */
export function noteWordOfRailLeft({ ctx, tx }: Writers, payment: Payment, { source, result }: SettleCommand): void {
  if (source?.kind !== 'rail' || source.environment === 'staging' || result.kind === 'failed') return
  raise(ctx, tx, contradictionAbout(payment, source.environment, wordOfRailLeft(payment, source.rail, result.kind)))
}

type End = { before: Payment; after: Payment; command: SettleCommand }

export function noteEnd({ ctx, tx }: Writers, { before, after, command }: End): void {
  const nowMs = ctx.clock.now()
  const about = { subject: publicIdOf(after), note: `it became ${after.status}` }
  const closeItem = command.source?.kind === 'person' ? command.source.closeItem : undefined
  // Before what is closed below, so that the item has the person's own note.
  if (closeItem !== undefined) tx.beforeCommit(() => closeItem(tx))
  const isOld = nowMs - before.createdAt.getTime() > unconcernedMs
  if (isOld && isFinal(after.status) && !isFinal(before.status)) {
    settleExceptions(ctx, tx, [
      { kind: 'payment-stuck', ...about },
      { kind: 'payment-without-rail', ...about },
      { kind: 'payment-contradicted', fact: existsAndIsAbsent, ...about },
    ])
  }
  if (after.status === 'REVERSED') settleExceptions(ctx, tx, [{ kind: 'return-without-room', ...about }])
  const { source, result, reference, tenantId } = command
  if (source?.kind !== 'person') return
  const { note, toBank = false } = source
  // Whatever a rail said against the success: a person has said which of both was true.
  if (after.status === 'REVERSED') settleExceptions(ctx, tx, [{ kind: 'payment-contradicted', ...about }])
  const details = { reference, as: result.kind, note, ...(toBank ? { toBank } : {}) }
  record(tx, nowMs, { by: source.by, act: 'payment.settled', tenantId, subject: about.subject, details })
}
