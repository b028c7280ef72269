// Runs the service's own checks of its books, and checks that PostgreSQL logged no deadlock.

import { depositInvariants } from '#deposits/verify.ts'
import { floatInvariants, ledgerInvariants, verifyLedger } from '#ledger/verify.ts'
import { paymentInvariants } from '#payments/verify.ts'
import { figureInvariants } from '#payments/stats.ts'
import { reconcileInvariants } from '#reconciliation/verify.ts'
import type { World } from '#simulate/world.ts'

export async function checkBooks({ members, model }: World): Promise<void> {
  const [member] = members
  if (member === undefined) return
  const invariants = [
    ...ledgerInvariants,
    ...floatInvariants,
    ...paymentInvariants,
    ...depositInvariants,
    ...reconcileInvariants,
    ...figureInvariants,
  ]
  const breaches = await verifyLedger(member.instance.app.ctx, { invariants })
  for (const { invariant, message, ids } of breaches)
    model.wrong.add(`the books: ${invariant}: ${message} ${ids.slice(0, 3).join(' ')}`)
}

/** Counts the deadlocks in PostgreSQL's log. With the switch `deadlocks`, each is a failure. */
export async function checkDeadlocks({ database, model, isOn }: World): Promise<number> {
  const deadlocks = await database.logged(/ERROR: +deadlock detected/)
  if (isOn('deadlocks') && deadlocks.length > 0)
    model.wrong.add(
      `PostgreSQL broke ${deadlocks.length} deadlock${deadlocks.length === 1 ? '' : 's'}, each after a second in which a lane stood still:\n${deadlocks.join('')}`,
    )
  return deadlocks.length
}
