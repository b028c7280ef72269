// The two lane operations that open virtual accounts in batches: one stores openings before their rail is asked, the
// other turns openings into accounts with the rail's numbers.

import { withTenants } from '#ledger/post.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { Tx } from '#platform/db/db.ts'
import type { Operation } from '#platform/db/lane.ts'
import { positionAfter } from '#platform/db/numbered-list.ts'
import type { NewAccount } from '#rails/ports.ts'
import { takeNumbers, type WantedNumber } from './account-owners.ts'
import {
  claimOf,
  claimText,
  findRivals,
  insertAccounts,
  type NewRow,
  findCustomers,
  type CustomerKey,
} from './queries.ts'
import {
  givenUp,
  haveSameTerms,
  isResumable,
  resumableUntil,
  type Provisioning,
  type NewProvisioning,
  type VirtualAccount,
} from './account.ts'
import { accountList } from './list.ts'
import {
  changeOpenings,
  insertOpenings,
  keyOf,
  lockOpenings,
  type OpeningKey,
  deleteOpenings,
} from './provisioning-queries.ts'

export type BeginCommand = { tenant: Tenant; wanted: NewProvisioning }

export type ProvisioningOutcome =
  | { kind: 'begun'; opening: Provisioning }
  /** An account has the same uniqueness claim (queries.ts), or an opening with other terms has it. */
  | { kind: 'exists' }
  | { kind: 'erased-customer' }
  /**
   * An earlier opening for the same customer and bank, or with the same reference, was abandoned, and its number is not
   * released yet.
   */
  | { kind: 'given-up' }

/**
 * Under the tenants' locks, checks that no account and no other opening has the same uniqueness claim, and stores the
 * openings. A repeated request continues the existing opening, in any process.
 */
export function beginOpeningsOperation(ctx: Context): Operation<BeginCommand, ProvisioningOutcome> {
  return {
    name: 'accounts.begin',
    async run(tx, commands) {
      const claims = commands.map(({ tenant, wanted }) => claimOf(tenant.id, wanted))
      const made = claims.filter((claim) => claim !== undefined)
      const keys = commands.map(({ tenant, wanted }) => keyOf({ ...wanted, tenantId: tenant.id }))
      const customers = customersOf(commands)
      const [rivals, found, known] = await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        () =>
          Promise.all([
            findRivals(tx, made),
            lockOpenings(tx, keys),
            customers.length === 0 ? [] : findCustomers(tx, customers),
          ]),
      )
      const nowMs = ctx.clock.now()
      const openings = new Map(found.map((opening) => [textOf(keyOf(opening)), opening]))
      const inserted: Provisioning[] = []
      const changed = new Map<string, Provisioning>()

      const erased = new Set(known.filter(({ status }) => status === 'ERASED').map(({ id }) => id))

      const outcomes = commands.map(({ tenant, wanted }, index): ProvisioningOutcome => {
        if (wanted.customer !== null && erased.has(wanted.customer.id)) return { kind: 'erased-customer' }
        const claim = claims[index]
        if (claim !== undefined && rivals.has(claimText(claim))) return { kind: 'exists' }
        const text = textOf(keyOf({ ...wanted, tenantId: tenant.id }))
        const before = openings.get(text)
        const dueAt = resumableUntil(nowMs)
        if (before === undefined) {
          const opening = { ...wanted, lane: tx.lane, tenantId: tenant.id, givenUpAt: null, dueAt }
          inserted.push(opening)
          openings.set(text, opening)
          return { kind: 'begun', opening }
        }
        if (!haveSameTerms(before, wanted)) return { kind: 'exists' }
        if (before.givenUpAt !== null) return { kind: 'given-up' }
        const resumable = isResumable(before, nowMs)
        const after = resumable ? { ...before, dueAt } : givenUp(before, nowMs)
        openings.set(text, after)
        changed.set(text, after)
        return resumable ? { kind: 'begun', opening: after } : { kind: 'given-up' }
      })

      if (inserted.length > 0) insertOpenings(tx, inserted)
      if (changed.size > 0) changeOpenings(tx, [...changed.values()])
      return outcomes
    },
  }
}

/**
 * The customers to read again under the tenants' locks, which erasure takes too: one may have been erased meanwhile.
 */
function customersOf(commands: BeginCommand[]): CustomerKey[] {
  return commands.flatMap(({ tenant, wanted }) =>
    wanted.customer === null ? [] : [{ tenantId: tenant.id, reference: wanted.customer.reference }],
  )
}

function textOf({ tenantId, claim }: OpeningKey): string {
  return `${tenantId} ${claim}`
}

type RailNumber = Omit<Extract<NewAccount, { kind: 'created' }>, 'kind'> & { railReference: string }

export type OpenCommand = { tenant: Tenant; opening: Provisioning; given: RailNumber }

export type OpenOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  /** The number belongs to another account: ask the rail for another one. */
  | { kind: 'number-taken' }
  /**
   * Another account has the same uniqueness claim, so this operation abandoned the opening. The caller must release the
   * number.
   */
  | { kind: 'claim-taken'; opening: Provisioning }
  /** The opening has already ended, and an account has its uniqueness claim. The caller must keep the number. */
  | { kind: 'exists' }
  /** The opening was abandoned, and the loop releases its number. */
  | { kind: 'given-up' }

/**
 * Turns openings into accounts with the numbers that their rails gave. Under the tenants' locks, checks that the
 * opening was not abandoned, and that no account has its uniqueness claim or its number.
 */
export function openAccountsOperation(ctx: Context): Operation<OpenCommand, OpenOutcome> {
  return {
    name: 'accounts.open',
    async run(tx, commands) {
      const claims = commands.map(({ opening, given }) => claimOf(opening.tenantId, { ...opening, ...given }))
      const texts = claims.map((claim) => (claim === undefined ? undefined : claimText(claim)))
      const made = claims.filter((claim) => claim !== undefined)
      const [rivals, locked, last] = await withTenants(
        tx,
        commands.map(({ tenant }) => tenant.id),
        (tenantIds) =>
          Promise.all([
            findRivals(tx, made),
            lockOpenings(
              tx,
              commands.map(({ opening }) => keyOf(opening)),
            ),
            accountList.lastOfTenants(tx, tenantIds),
          ]),
      )
      const live = new Map(locked.filter(({ givenUpAt }) => givenUpAt === null).map((opening) => [opening.id, opening]))
      const has = (text: string | undefined): boolean => text !== undefined && rivals.has(text)
      // Takes at most one number per uniqueness claim, because each number taken here becomes an account in this batch.
      const wanted = commands.filter(
        ({ opening }, index) => live.has(opening.id) && !has(texts[index]) && isFirst(texts, index),
      )
      const taken = wanted.length === 0 ? new Set<string>() : await takeNumbers(tx, wanted.map(numberOf))
      const opened: NewRow[] = []
      const finished: Provisioning[] = []

      const outcomes = commands.map(({ tenant, opening: { id }, given }, index): OpenOutcome => {
        const opening = live.get(id)
        const text = texts[index]
        if (opening === undefined) return { kind: has(text) ? 'exists' : 'given-up' }
        if (has(text)) {
          live.delete(id)
          return { kind: 'claim-taken', opening: givenUp(opening, ctx.clock.now()) }
        }
        // If two commands of a batch have the same number, the first gets it.
        if (!taken.delete(`${tenant.environment} ${given.accountNumber}`)) return { kind: 'number-taken' }
        live.delete(id)
        if (text !== undefined) rivals.add(text)
        const position = positionAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, position)
        const account = accountOf(opening, given, position)
        opened.push(account)
        finished.push(opening)
        return { kind: 'opened', account }
      })

      if (opened.length > 0) insertAccounts(tx, opened)
      if (finished.length > 0) deleteOpenings(tx, finished)
      const overtaken = outcomes.flatMap((outcome) => (outcome.kind === 'claim-taken' ? [outcome.opening] : []))
      if (overtaken.length > 0) changeOpenings(tx, overtaken)
      const late = commands.filter((_command, index) => outcomes[index]?.kind === 'given-up')
      releaseAgain(tx, { late, locked, now: new Date(ctx.clock.now()) })
      return outcomes
    },
  }
}

type LateNumbers = { late: OpenCommand[]; locked: Provisioning[]; now: Date }

/**
 * The rail may have opened these accounts after the release loop had asked it about their abandoned openings. So the
 * openings become due again, also those that the loop has deleted. A newer opening with the same uniqueness claim is
 * left alone, because the rail may have given it the same account.
 */
function releaseAgain(tx: Tx, { late, locked, now }: LateNumbers): void {
  const stored = new Map(locked.map((opening) => [textOf(keyOf(opening)), opening]))
  const due = [...new Map(late.map(({ opening }) => [textOf(keyOf(opening)), { ...opening, dueAt: now }]))]
  const ended = due.filter(([text]) => !stored.has(text)).map(([, opening]) => opening)
  const givenUpAlready = due.flatMap(([text, { id }]) => {
    const known = stored.get(text)
    return known?.id === id ? [{ ...known, dueAt: now }] : []
  })
  if (ended.length > 0) insertOpenings(tx, ended)
  if (givenUpAlready.length > 0) changeOpenings(tx, givenUpAlready)
}

function isFirst(texts: (string | undefined)[], index: number): boolean {
  const text = texts[index]
  return text === undefined || texts.indexOf(text) === index
}

function numberOf({ tenant, opening, given: { accountNumber, railReference } }: OpenCommand): WantedNumber {
  const { id: tenantId, environment } = tenant
  const { createdAt: openedAt, rail } = opening
  return { environment, accountNumber, tenantId, openedAt, rail, railReference }
}

function accountOf(
  { dueAt: _dueAt, givenUpAt: _givenUpAt, order, ...opening }: Provisioning,
  { expiresAtMs = Infinity, railReference: _railReference, ...given }: RailNumber,
  position: { ordinal: bigint; createdAt: Date },
): NewRow {
  // The rail closes the account at this time and returns money that comes later.
  const expiresAt = new Date(Math.min(order?.expiresAt.getTime() ?? Infinity, expiresAtMs))
  // The rail gave the number after the opening was created, so an earlier payment is for an earlier account.
  const openedAt = opening.createdAt
  const born = { currency: 'NGN' as const, status: 'ACTIVE' as const, openedAt, updatedAt: position.createdAt }
  return { ...opening, ...given, ...born, ...position, order: order === null ? null : { ...order, expiresAt } }
}
