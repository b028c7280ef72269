// Lines of money that came in: what is known here, and what of the rest can be received now.

import { findKnownMoney } from '#deposits/of-provider.ts'
import { findUnowned } from '#ledger/float.ts'
import type { Statement } from '#rails/statement.ts'
import type { Check } from './check.ts'
import { judgeDeposit } from './judge-deposit.ts'
import type { Judged, Matcher } from './match.ts'
import type { KeptLine } from './sql-lines.ts'

export async function matchDeposits(
  { ctx, rails, deposits }: Matcher,
  statement: Statement,
  check: Check,
  listed: KeptLine[],
): Promise<Judged[]> {
  const { environment, rail, beganAt } = check
  const inbound = rails.inbound(environment, { rail })
  // Of what has not arrived nothing follows, and without a port that tells of money nothing could be received.
  const lines = inbound.kind === 'served' ? listed.filter(({ state }) => state === 'succeeded') : []
  const rest = listed.filter((line) => !lines.includes(line))
  if (lines.length === 0 || inbound.kind === 'missing') return rest.map((line) => ({ line, verdict: nothing(line) }))
  const ids = lines.map(({ lineId }) => lineId)
  const from = { environment, provider: inbound.port.provider }
  const before = await findKnownMoney(ctx, from, ids)
  const untold = lines.filter(({ lineId, at }) => !before.has(lineId) && at.getTime() >= beganAt.getTime())
  const whys = new Map(await Promise.all(untold.map(async (line) => [line.lineId, await receive(line)] as const)))
  const known = whys.size === 0 ? before : await findKnownMoney(ctx, from, ids)
  const unowned = await findUnowned(ctx.db, { environment, rail }, ids)
  const judged = lines.map((line) => {
    const { lineId } = line
    const why = whys.get(lineId) ?? 'it was not read again'
    const question = { line, known: known.get(lineId), wasUnowned: unowned.has(lineId), why, beganAt }
    return { line, verdict: judgeDeposit(question) }
  })
  return [...judged, ...rest.map((line) => ({ line, verdict: nothing(line) }))]

  /** As a notice of it would be. Resolves with why it did not become a deposit, should it not be there afterwards. */
  async function receive(line: KeptLine): Promise<string> {
    const answer = await statement.reread(line)
    if (answer.kind === 'unreadable') return 'asked for it, the rail gives what cannot be read'
    if (answer.kind === 'unavailable') return answer.detail
    for (const notice of answer.notices)
      if (notice.about === 'deposit') return (await deposits.receive(environment, notice.deposit)).kind
    return 'asked for it, the rail does not speak of a deposit'
  }
}

function nothing({ lineId: subject }: KeptLine): Judged['verdict'] {
  return { facts: [], settled: { kinds: [], subject }, bookings: [], againMs: null }
}
