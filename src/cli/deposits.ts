// `manilla deposits adopt`: says whose money it is that came for nobody.

import type { Context } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { createLanes } from '#base/lane.ts'
import { createAdopting, parseNoticeId, type Adoption, type AdoptOutcome } from '#deposits/adopt.ts'
import { depositReference } from '#deposits/deposit.ts'
import { depositData } from '#deposits/wire.ts'
import { withContext } from './database.ts'
import { noteIn } from './note.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function adoptNoticeCommand(
  output: Output,
  id: string,
  options: { account: string; note: string },
): Promise<void> {
  const noticeId = parseNoticeId(id)
  if (noticeId === undefined)
    throw new OperatorError(`${id} is not a notice: it is ENVIRONMENT:PROVIDER:ID. See: npx manilla exceptions list`)
  const [note, accountNumber] = [noteIn(options), options.account]
  const outcome = await withContext(readConfig(), output.step, (ctx) =>
    adopt(ctx, { noticeId, accountNumber, note, by: ctx.by }),
  )
  const told = tellOf(outcome, id, accountNumber)
  if (outcome.kind !== 'adopted' && outcome.kind !== 'unchanged') throw new OperatorError(told)
  output.result(depositData(outcome.deposit), told)
}

async function adopt(ctx: Context, wish: Adoption): Promise<AdoptOutcome> {
  const lanes = createLanes(ctx)
  try {
    return await createAdopting(ctx, lanes.of)(wish)
  } finally {
    await lanes.drain()
  }
}

function tellOf(outcome: AdoptOutcome, id: string, accountNumber: string): string {
  switch (outcome.kind) {
    case 'adopted':
      return `${id} is the deposit ${depositReference(outcome.deposit.id)} of ${accountNumber} now. Its business is told as usual.`
    case 'unchanged':
      return `${id} is the deposit ${depositReference(outcome.deposit.id)} already; nothing was credited, and nothing of it waits for a person.`
    case 'no-notice':
      return `No notice ${id} waits for an account. See: npx manilla exceptions list`
    case 'not-paid':
      return `Its provider has said ${outcome.said.join(' and ')} of this money, so it may not be there. Nothing was done: ask the provider to say it again, or to return the money.`
    case 'unknown-account':
      return `Nobody owns the account ${accountNumber} in that environment. Nothing was done: look at the number.`
    case 'taken':
      return 'This money has become a deposit of another account, so nothing was credited.'
    case 'would-be-returned':
      return `The account ${accountNumber} does not take this money (${outcome.reason}). Nothing was done: name another account, or have the provider return it and close the exception.`
    case 'no-room':
      return `The books of that business have no room for this money. Nothing was done: when it has paid out, run this again.`
  }
}
