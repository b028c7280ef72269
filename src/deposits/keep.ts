// Money that cannot be a deposit: its notice is kept as it came, and waits for a person.

import type { Context, Environment, Tenant } from '#base/context.ts'
import { amountMax } from '#base/money.ts'
import type { ExceptionKind } from '#exceptions/exception.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import { raise } from '#exceptions/raise.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { keepNotice } from './sql-notices.ts'

/** Why it cannot be one. Undefined: it can. */
export function objectionTo(notice: DepositNotice, owner: Tenant | undefined): Objection | undefined {
  if (owner === undefined) return { kind: 'notice-unowned', fact: `nobody owns the account ${notice.accountNumber}` }
  // A deposit is shown as a JSON integer, whatever its provider may have meant.
  if (notice.amount <= amountMax) return undefined
  return { kind: 'deposit-without-room', fact: 'it is more than any books can hold, so there is no deposit of it' }
}

type Objection = { kind: ExceptionKind; fact: string }

export async function keepAside(
  ctx: Context,
  environment: Environment,
  { notice, owner, objection }: { notice: DepositNotice; owner: Tenant | undefined; objection: Objection },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    keepNotice(tx, environment, notice, new Date(ctx.clock.now()))
    // That no money came is no matter for a person.
    if (notice.status === 'FAILED') return
    raise(ctx, tx, {
      ...objection,
      environment,
      subject: noticeSubject(environment, notice),
      tenant: owner ?? null,
      reference: '',
      currency: notice.currency,
      amount: notice.amount,
    })
  })
}
