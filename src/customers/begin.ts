// Beginning to open virtual accounts, many at once: under the lock of their tenants it is decided whether what they claim
// is free, and written that they are being opened. Only then is a rail asked. Who asks for the same again, in whatever
// process, goes on with the opening that is there.

import type { Context, Tenant } from '#base/context.ts'
import type { Operation } from '#base/lane.ts'
import { withTenants } from '#ledger/lock.ts'
import { claimOf, claimText } from './claim.ts'
import { givenUp, haveSameTerms, isResumable, resumableUntil, type Opening, type Wanted } from './opening.ts'
import { findRivals } from './sql-accounts.ts'
import { changeOpenings, insertOpenings, keyOf, lockOpenings, type OpeningKey } from './sql-openings.ts'
import { findCustomers, type CustomerKey } from './sql.ts'

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
