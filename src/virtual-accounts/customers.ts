// Creates customers in batches, and reads, lists and corrects them.

import { withTenants } from '#ledger/post.ts'
import type { Context, OfTenant, Tenant } from '#platform/context.ts'
import { inLane, arrayOf, arraysOf, statement, type InLane } from '#platform/db/db.ts'
import type { Operation, Writer } from '#platform/db/lane.ts'
import { type PageQuestion, positionAfter } from '#platform/db/numbered-list.ts'
import { newUuid, type Uuid, firstUuid } from '#platform/ids.ts'
import { type SecretBox, resealPages, type ResealMode } from '#platform/secrets.ts'
import {
  type CustomerChanges,
  customerList,
  findCustomers,
  insertCustomers,
  type NewCustomer,
  updateCustomer,
} from './queries.ts'

type CreateCommand = { tenant: Tenant; reference: string; details: CustomerDetails; bvn: string | null }

type CustomerCreateOutcome = { kind: 'created'; customer: Customer } | { kind: 'exists' }

/** A sealed BVN can be opened only for its customer. */
export function bvnContext(id: string): string {
  return `customer.bvn:${id}`
}

export function createCustomersOperation(
  ctx: Context,
  box: SecretBox,
): Operation<CreateCommand, CustomerCreateOutcome> {
  return {
    name: 'customers.create',
    async run(tx, commands) {
      const keys = commands.map(({ tenant, reference }) => ({ tenantId: tenant.id, reference }))
      const [found, last] = await withTenants(
        tx,
        keys.map(({ tenantId }) => tenantId),
        (tenantIds) => Promise.all([findCustomers(tx, keys), customerList.lastOfTenants(tx, tenantIds)]),
      )
      const taken = new Set(found.map(({ tenantId, reference }) => `${tenantId} ${reference}`))
      const created: NewCustomer[] = []
      const outcomes = commands.map(({ tenant, reference, details, bvn }): CustomerCreateOutcome => {
        const key = `${tenant.id} ${reference}`
        if (taken.has(key)) return { kind: 'exists' }
        taken.add(key)
        const position = positionAfter(last.get(tenant.id), ctx.clock.now())
        last.set(tenant.id, position)
        const id = newUuid(position.createdAt.getTime())
        const sealedBvn = bvn === null ? null : box.seal(bvn, bvnContext(id))
        const about = { lane: tx.lane, tenantId: tenant.id, id, reference, status: 'ACTIVE' as const }
        const customer = { ...details, ...about, ...position, updatedAt: position.createdAt, sealedBvn }
        created.push(customer)
        return { kind: 'created', customer }
      })
      if (created.length > 0) insertCustomers(tx, created)
      return outcomes
    },
  }
}

type CustomerCorrections = Omit<CustomerChanges, 'sealedBvn'> & { bvn?: string | null | undefined }

type CorrectOutcome = { kind: 'corrected'; customer: Customer } | { kind: 'erased' } | { kind: 'not-found' }

export type Customers = {
  create(command: CreateCommand): Promise<CustomerCreateOutcome>
  read(tenant: Tenant, reference: string): Promise<Customer | undefined>
  list(tenant: Tenant, question: PageQuestion): Promise<{ customers: Customer[]; total: number }>
  correct(tenant: Tenant, reference: string, corrections: CustomerCorrections): Promise<CorrectOutcome>
}

type CustomersOptions = Writer & {
  box: SecretBox
}

export function createCustomers({ ctx, laneOf, box }: CustomersOptions): Customers {
  const creating = createCustomersOperation(ctx, box)
  const read: Customers['read'] = async (tenant, reference) => {
    const [customer] = await findCustomers(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, reference }])
    return customer
  }
  return {
    async create(command) {
      if (command.bvn !== null) await box.requireCurrent()
      return laneOf(command.tenant.lane).submit(creating, command)
    },
    read,
    async list(tenant, question) {
      const { rows, total } = await customerList.page(ctx.db, tenant, question)
      return { customers: rows, total }
    },
    async correct(tenant, reference, { bvn, ...changes }) {
      // The seal includes the customer's id, so the customer is read first; the id never changes.
      const customer = await read(tenant, reference)
      if (customer === undefined) return { kind: 'not-found' }
      if (typeof bvn === 'string') await box.requireCurrent()
      const sealedBvn = typeof bvn === 'string' ? box.seal(bvn, bvnContext(customer.id)) : bvn
      const now = new Date(ctx.clock.now())
      const corrected = await updateCustomer(ctx.db, tenant, reference, { ...changes, sealedBvn }, now)
      // Customers are never deleted, so one that is not ACTIVE is erased.
      return corrected === undefined ? { kind: 'erased' } : { kind: 'corrected', customer: corrected }
    },
  }
}

export const customerStatuses = ['ACTIVE', 'ERASED'] as const
/** An erased customer keeps its reference but no personal data (privacy/erase.ts). */
type CustomerStatus = (typeof customerStatuses)[number]

type CustomerDetails = {
  firstName: string
  lastName: string
  email: string | null
  phoneNumber: string | null
  metadata: string | null
}

export type Customer = OfTenant &
  CustomerDetails & {
    id: Uuid
    reference: string
    status: CustomerStatus
    createdAt: Date
    updatedAt: Date
  }

type SealedBvn = { tenantId: Uuid; reference: string; id: Uuid; bvn: Buffer | null }

// Reads customers without a BVN as well: a page that skipped them could read a million rows to fill itself.
const sealedPage = statement(
  'customers.sealed',
  `select tenant_id as "tenantId", reference, id, bvn from customer
    where lane = $1 and (tenant_id, reference) > ($2, $3) order by lane, tenant_id, reference limit $4`,
)

function findSealed(db: InLane, after: { tenantId: Uuid; reference: string }, limit: number): Promise<SealedBvn[]> {
  return db.query<SealedBvn>(sealedPage, [db.lane, after.tenantId, after.reference, limit])
}

type ResealedBvn = SealedBvn & { bvn: Buffer; fresh: Buffer }

// Skips a row that another transaction changes or has locked; the next run finds it again.
const resealRows = statement(
  'customers.reseal',
  `with found as materialized (
     select c.ctid as row_place, k.fresh
       from unnest($2::uuid[], $3::text[], $4::text[], $5::text[]) as k (tenant_id, reference, bvn, fresh)
       cross join lateral (
         select ctid, bvn from customer
          where lane = $1 and tenant_id = k.tenant_id and reference = k.reference limit 1 for update skip locked) as c
      where c.bvn = decode(k.bvn, 'base64'))
   update customer c set bvn = decode(found.fresh, 'base64')
     from found where c.lane = $1 and c.ctid = any(array(select row_place from found)) and c.ctid = found.row_place`,
)

async function writeResealed(db: InLane, rows: ResealedBvn[]): Promise<void> {
  await db.query(resealRows, [
    db.lane,
    ...arraysOf(rows, 'tenantId', 'reference'),
    arrayOf(rows, (row) => row.bvn.toString('base64')),
    arrayOf(rows, (row) => row.fresh.toString('base64')),
  ])
}

const rowsPerPage = 1_000

export function resealCustomers(db: InLane, box: SecretBox, how: ResealMode): Promise<number> {
  return resealPages({
    first: { tenantId: firstUuid, reference: '' },
    rowsPerPage,
    read: (after, limit) => findSealed(db, after, limit),
    changesOf: ({ bvn, ...row }) => {
      const fresh = bvn === null ? undefined : box.reseal(bvn, bvnContext(row.id))
      return bvn === null || fresh === undefined ? [] : [{ ...row, bvn, fresh }]
    },
    how,
    write: (changes) => writeResealed(db, changes),
  })
}
