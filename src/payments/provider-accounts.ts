// Which rail has which account at its provider. Every record of money names its rail, so an account keeps one rail
// forever, and a rail keeps one account. Marks identify an account: the provider's name for it, and the digest of its
// key (docs/adr/0035-a-provider-account-has-one-rail.md). rails/rails-file.ts refuses two entries of one account.

import type { Environment, Context } from '#platform/context.ts'
import { arrayOf, statement, type Tx } from '#platform/db/db.ts'
import { OperatorError } from '#platform/errors.ts'
import type { AccountVerdict, ConfirmAccount } from '#rails/account-gate.ts'
import type { RailName } from '#rails/rail.ts'
import { accountMarksOf, type RailEntry, type RailsFile } from '#rails/rails-file.ts'
import { stopRail } from './brakes.ts'

/**
 * Throws an error for the operator if RAILS_FILE gives a known account another name, or a known name to another
 * account. It does not ask the provider; `confirmAccount` handles a new key of a known Paystack rail.
 */
export async function requireProviderAccounts(ctx: Context, file: RailsFile | undefined): Promise<void> {
  const entries = Object.entries(file?.rails ?? {}).toSorted(([left], [right]) => (left < right ? -1 : 1))
  await ctx.db.transaction(async (tx) => {
    for (const [rail, entry] of entries) {
      const { environment } = entry
      const isKnown = (await findMarks(tx, environment)).some((one) => one.rail === rail)
      if (!isKnown || entry.kind !== 'paystack')
        noteMarks(tx, { environment, rail }, accountMarksOf(entry), new Date(ctx.clock.now()))
      refuseConflict(await findMarks(tx, environment), rail, entry)
    }
  })
}

function refuseConflict(known: KnownMark[], rail: string, entry: RailEntry): void {
  const label = entry.label ?? rail
  const marks = accountMarksOf(entry)
  const rival = rivalOf(known, rail, marks)
  if (rival !== undefined)
    throw new OperatorError(
      `RAILS_FILE: rails.${label} is the account that this installation knows as ${rival}. ` +
        `Name the entry ${rival} again, or add "renamedFrom": "${rival}" to it.`,
    )
  const contract = marks.find((mark) => mark.startsWith('monnify contract '))
  const isOther = ({ mark }: KnownMark): boolean =>
    !mark.startsWith(`${entry.kind} `) || (mark.startsWith('monnify contract ') && mark !== contract)
  if (known.some((one) => one.rail === rail && isOther(one)))
    throw new OperatorError(
      `RAILS_FILE: rails.${label} is not the account that this installation knows as ${rail}. ` +
        'Give the new account an entry with a new name.',
    )
}

function rivalOf(known: KnownMark[], rail: string, marks: string[]): string | undefined {
  return known.find((one) => one.rail !== rail && marks.includes(one.mark))?.rail
}

/** Confirms the account of a rail whose key does not show which account it belongs to. */
export function confirmAccount(ctx: Context, rail: string, entry: RailEntry): ConfirmAccount {
  const name: RailName = { environment: entry.environment, rail }
  const keys = accountMarksOf(entry)
  const isId = ({ mark }: KnownMark): boolean => mark.startsWith(`${entry.kind} integration `)

  async function judge(tx: Tx, id: string | undefined): Promise<AccountVerdict> {
    const marks = id === undefined ? keys : [`${entry.kind} integration ${id}`, ...keys]
    const before = await findMarks(tx, name.environment)
    const told = id === undefined ? 'an account that has made nothing yet' : `the account ${id}`
    const other = (known: string): AccountVerdict => ({
      kind: 'other-account',
      why: `its key belongs to ${told}, ${known}`,
    })
    const named = before.find((one) => one.rail === rail && isId(one))
    if (named !== undefined && !marks.includes(named.mark))
      return other(`and not to ${named.mark}, which it always had`)
    const rival = rivalOf(before, rail, marks)
    if (rival !== undefined) return other(`which is known as ${rival}`)
    noteMarks(tx, name, marks, new Date(ctx.clock.now()))
    const winner = rivalOf(await findMarks(tx, name.environment), rail, marks)
    if (winner !== undefined) return other(`which is known as ${winner}`)
    return { kind: id === undefined ? 'unnamed' : 'confirmed' }
  }

  return async (ask) => {
    const known = await ctx.db.transaction((tx) => findMarks(tx, name.environment))
    const own = known.filter((one) => one.rail === rail)
    if (own.some(isId) && keys.every((key) => own.some(({ mark }) => mark === key))) return { kind: 'confirmed' }
    const answer = await ask()
    if (answer.kind === 'unknown') return answer
    return ctx.db.transaction(async (tx) => {
      const verdict = await judge(tx, answer.kind === 'account' ? answer.id : undefined)
      if (verdict.kind === 'other-account') await stopRail(ctx, tx, { ...name, why: verdict.why })
      return verdict
    })
  }
}

// A row is one mark of an account, and a rail has several marks.

const insertMarks = statement(
  'payments.note_provider_account',
  `insert into provider_account (environment, mark, rail, known_since)
   select $1, v.mark, $3, $4 from unnest($2::text[]) as v (mark) order by v.mark on conflict do nothing`,
)

/** Waits for other transactions that store the same marks. */
function noteMarks(tx: Tx, { environment, rail }: RailName, marks: string[], at: Date): void {
  tx.send(insertMarks, [environment, arrayOf(marks, (mark) => mark), rail, at])
}

const selectMarks = statement(
  'payments.provider_accounts',
  'select mark, rail from provider_account where environment = $1 order by mark limit 10000',
)

type KnownMark = { mark: string; rail: string }

/** There are a few marks for each rail that was ever configured. */
function findMarks(tx: Tx, environment: Environment): Promise<KnownMark[]> {
  return tx.query<KnownMark>(selectMarks, [environment])
}
