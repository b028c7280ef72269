// Money that cannot be a deposit: its notice is kept as it came, and waits for a person.

import type { Context, Environment } from '#base/context.ts'
import { amountMax } from '#base/money.ts'
import type { Owner } from '#customers/owners.ts'
import type { ExceptionKind } from '#exceptions/exception.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import { raise } from '#exceptions/raise.ts'
import type { DepositNotice, PaidInto } from '#rails/rail.ts'
import { keepNotice } from './sql-notices.ts'

/** Why it cannot be one. Undefined: it can. `rail`: the rail that tells of the money. */
export function objectionTo(notice: DepositNotice, owner: Owner | undefined, rail: string): Objection | undefined {
  if (owner === undefined) return { kind: 'notice-unowned', fact: `nobody owns the account ${nameOf(notice.account)}` }
  if (owner.rail !== rail) {
    const fact = `${rail} tells of money for the account ${owner.accountNumber}, which ${owner.rail} opened`
    return { kind: 'notice-unowned', fact }
  }
  // A deposit is shown as a JSON integer, whatever its provider may have meant.
  if (notice.amount <= amountMax) return undefined
  return { kind: 'deposit-without-room', fact: 'it is more than any books can hold, so there is no deposit of it' }
}

function nameOf(account: PaidInto): string {
  return 'number' in account ? account.number : `of our reference ${account.railReference}`
}

type Objection = { kind: ExceptionKind; fact: string }

export async function keepAside(
  ctx: Context,
  environment: Environment,
  { notice, owner, objection }: { notice: DepositNotice; owner: Owner | undefined; objection: Objection },
): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    const { account, ...rest } = notice
    // Of an account that nobody owns the number may be unknown, too.
    const accountNumber = owner?.accountNumber ?? ('number' in account ? account.number : '')
    keepNotice(tx, environment, { ...rest, accountNumber }, new Date(ctx.clock.now()))
    // That no money came is no matter for a person.
    if (notice.status === 'FAILED') return
    raise(ctx, tx, {
      ...objection,
      environment,
      subject: noticeSubject(environment, notice),
      tenant: owner?.tenant ?? null,
      reference: '',
      currency: notice.currency,
      amount: notice.amount,
    })
  })
}
