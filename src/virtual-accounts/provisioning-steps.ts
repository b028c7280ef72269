// Beginning to open virtual accounts, many at once: under the lock of their tenants it is decided whether what they claim
// is free, and written that they are being opened. Only then is a rail asked. Who asks for the same again, in whatever
// process, goes on with the opening that is there.

import { withTenants } from '#ledger/post.ts'
import type { Context, Tenant } from '#platform/context.ts'
import type { Operation } from '#platform/db/lane.ts'
import { positionAfter } from '#platform/db/numbered-list.ts'
import type { NewAccount } from '#rails/ports.ts'
import { takeNumbers, type WantedNumber } from './account-owners.ts'
import { findRivals, insertAccounts, type NewRow } from './account-queries.ts'
import {
  givenUp,
  haveSameTerms,
  isResumable,
  resumableUntil,
  type Opening,
  type Wanted,
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
import { findCustomers, type CustomerKey } from './queries.ts'
import { claimOf, claimText } from './uniqueness.ts'

export type BeginCommand = { tenant: Tenant; wanted: Wanted }

export type BeginOutcome =
  | { kind: 'begun'; opening: Opening }
  /** An account has what it claims, or somebody is opening another one that will. */
  | { kind: 'exists' }
  /** Since it was read, for whom it was wanted. */
  | { kind: 'erased-customer' }
  /** What was asked for before is no longer gone on with, and its number has not gone back yet. */
  | { kind: 'given-up' }

export function beginOpeningsOperation(ctx: Context): Operation<BeginCommand, BeginOutcome> {
  return {
    name: 'accounts.begin',
    async run(tx, commands) {
      const claims = commands.map(({ tenant, wanted }) => claimOf(tenant.id, wanted))
      const made = claims.filter((claim) => claim !== undefined)
      const keys = commands.map(({ tenant, wanted }) => keyOf({ ...wanted, tenantId: tenant.id }))
      const customers = wantedFor(commands)
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
      const inserted: Opening[] = []
      const changed = new Map<string, Opening>()

      const erased = new Set(known.filter(({ status }) => status === 'ERASED').map(({ id }) => id))

      const outcomes = commands.map(({ tenant, wanted }, index): BeginOutcome => {
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

/** Those whose erasure would have to be seen here, under the lock that it takes as well. */
function wantedFor(commands: BeginCommand[]): CustomerKey[] {
  return commands.flatMap(({ tenant, wanted }) =>
    wanted.customer === null ? [] : [{ tenantId: tenant.id, reference: wanted.customer.reference }],
  )
}

function textOf({ tenantId, claim }: OpeningKey): string {
  return `${tenantId} ${claim}`
}

// Making openings virtual accounts, many at once, with numbers that their rail has given. The rail was asked before, when
// no transaction was open; here it is decided whether the opening still stands and the number is free.

/** A number as its rail gave it, and under which reference. */
type Given = Omit<Extract<NewAccount, { kind: 'created' }>, 'kind'> & { railReference: string }

export type OpenCommand = { tenant: Tenant; opening: Opening; given: Given }

export type OpenOutcome =
  | { kind: 'opened'; account: VirtualAccount }
  /** The number is another account's: ask the rail for another one. */
  | { kind: 'number-taken' }
  /** Another one has what it claims, so it was given up: its number is to be given back. */
  | { kind: 'outrun' }
  /** Somebody else has made it an account, or one that has what it claims: the number is not ours to give back. */
  | { kind: 'exists' }
  /** It was given up, and the loop gives its number back. */
  | { kind: 'given-up' }

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
      // One number for each claim at most: what is taken here is an account at the end of the batch.
      const wanted = commands.filter(
        ({ opening }, index) => live.has(opening.id) && !has(texts[index]) && isFirst(texts, index),
      )
      const taken = wanted.length === 0 ? new Set<string>() : await takeNumbers(tx, wanted.map(numberOf))
      const opened: NewRow[] = []
      const finished: Opening[] = []
      const outrun: Opening[] = []

      const outcomes = commands.map(({ tenant, opening: { id }, given }, index): OpenOutcome => {
        const opening = live.get(id)
        const text = texts[index]
        if (opening === undefined) return { kind: has(text) ? 'exists' : 'given-up' }
        if (has(text)) {
          live.delete(id)
          outrun.push(givenUp(opening, ctx.clock.now()))
          return { kind: 'outrun' }
        }
        // Two commands of one batch with the same number: the first gets it.
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
      if (outrun.length > 0) changeOpenings(tx, outrun)
      return outcomes
    },
  }
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
  { dueAt: _dueAt, givenUpAt: _givenUpAt, order, ...opening }: Opening,
  { expiresAtMs = Infinity, railReference: _railReference, ...given }: Given,
  position: { ordinal: bigint; createdAt: Date },
): NewRow {
  // Money that comes after its rail has closed it goes back from there.
  const expiresAt = new Date(Math.min(order?.expiresAt.getTime() ?? Infinity, expiresAtMs))
  // Nobody was given the number for it before it was asked for.
  const openedAt = opening.createdAt
  const born = { currency: 'NGN' as const, status: 'ACTIVE' as const, openedAt, updatedAt: position.createdAt }
  return { ...opening, ...given, ...born, ...position, order: order === null ? null : { ...order, expiresAt } }
}
