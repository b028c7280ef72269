// Money that came for an account that nobody owns: its notice is kept as it came, and waits for a person.

import type { Context, Environment } from '#base/context.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import { raise } from '#exceptions/raise.ts'
import type { DepositNotice } from '#rails/rail.ts'
import { keepNotice } from './sql-notices.ts'

export async function keepUnowned(ctx: Context, environment: Environment, notice: DepositNotice): Promise<void> {
  await ctx.db.transaction(async (tx) => {
    keepNotice(tx, environment, notice, new Date(ctx.clock.now()))
    // That no money came is no matter for a person.
    if (notice.status === 'FAILED') return
    raise(ctx, tx, {
      kind: 'notice-unowned',
      environment,
      subject: noticeSubject(environment, notice),
      fact: `nobody owns the account ${notice.accountNumber}`,
      tenant: null,
      reference: '',
      currency: notice.currency,
      amount: notice.amount,
    })
  })
}
