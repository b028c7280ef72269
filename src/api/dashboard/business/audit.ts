// The endpoints for the audit log of a business. A user sees the entries of all users if their role permits it, otherwise
// only their own.

import { z } from 'zod'
import { outcomes } from '#audit/entry.ts'
import {
  type AuditedBusiness,
  type AuditEntryRow,
  type AuditFilter,
  eachAuditOfBusiness,
  listAuditOfBusiness,
} from '#audit/list.ts'
import { present } from '#platform/assert.ts'
import type { Context } from '#platform/context.ts'
import { formatId, parseId, type Uuid } from '#platform/ids.ts'
import { findTenant } from '#businesses/business.ts'
import { byteOrderMark, csvLine, piecesOf } from '#api/dashboard/csv.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { judge } from '#api/dashboard/permissions.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { fromParameter, limitParameter, pageParameter, toParameter, paginationOf } from '#api/server/fields.ts'
import type { UserRole, SignedIn } from '#users/service.ts'

const filters = {
  person: z.string('must be given once').optional(),
  act: z.string('must be given once').optional(),
  outcome: z.enum(outcomes, `must be one of ${outcomes.join(', ')}`).optional(),
  target: z.string('must be given once').optional(),
  from: fromParameter,
  to: toParameter,
}

export function auditEndpoints({ ctx, acts }: EndpointParts): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/audit',
      permission: 'audit.own',
      query: z.object({ ...filters, page: pageParameter, limit: limitParameter }),
      handle: async ({ query, business, person, role }) => {
        const owner = await ownerOf(ctx, business)
        const slice = { limit: query.limit, offset: (query.page - 1) * query.limit }
        const { entries, total } = await listAuditOfBusiness(ctx, owner, filterOf(query, person, role), slice)
        const data = { entries: entries.map((entry) => shown(entry, owner, role)) }
        return { data, pagination: paginationOf(query.page, query.limit, total) }
      },
    }),
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/audit.csv',
      permission: 'audit.all',
      query: z.object(filters),
      handle: async ({ query, business, person, role, by }) => {
        const owner = await ownerOf(ctx, business)
        await acts.write({ by: by(), act: 'audit.exported', businessId: business })
        const pieces = piecesOf(csvOf(eachAuditOfBusiness(ctx, owner, filterOf(query, person, role)), owner))
        return { data: {}, download: { name: 'audit.csv', type: 'text/csv; charset=utf-8', pieces } }
      },
    }),
  ]
}

async function ownerOf(ctx: Context, business: Uuid): Promise<AuditedBusiness> {
  const [staging, production] = await Promise.all([
    findTenant(ctx, business, 'staging'),
    findTenant(ctx, business, 'production'),
  ])
  const missing = 'a business has both tenants'
  return { business, staging: present(staging, missing).id, production: present(production, missing).id }
}

function filterOf(
  { person: unchecked, act, outcome, target, from, to }: Omit<AuditFilter, 'person'> & { person?: string | undefined },
  { person }: SignedIn,
  role: UserRole,
): AuditFilter {
  const asked = unchecked === undefined ? undefined : (parseId('person', unchecked) ?? nobody)
  const mayAll = judge('audit.all', role, 'production') !== 'no'
  return { person: mayAll ? asked : person.id, act, outcome, target, from, to }
}

/** The id of no user: a filter by it matches no entries. */
const nobody = '00000000-0000-0000-0000-000000000000' as Uuid

/**
 * Identifies an entry by the beginning of its hash. The sequence number counts the entries of all businesses, so it would
 * reveal how busy others are.
 */
function idOf({ hash }: AuditEntryRow): string {
  return hash.toString('hex').slice(0, 16)
}

function shown(entry: AuditEntryRow, owner: AuditedBusiness, reader: UserRole): Record<string, unknown> {
  const { at, actor, actorKind, personId, role, act, subject, outcome, address, device, requestId } = entry
  // Entries of webhook actions contain URLs. A user's own entries may be from a time when their role could see
  // webhooks.
  const isHidden = act.startsWith('webhook.') && judge('webhooks.see', reader, 'production') === 'no'
  return {
    id: idOf(entry),
    at,
    actor,
    actorKind,
    person: personId === null ? null : formatId('person', personId),
    role,
    environment: environmentOf(entry, owner),
    act,
    subject,
    outcome: outcome ?? 'done',
    address,
    device,
    requestId,
    details: isHidden ? {} : (JSON.parse(entry.details) as unknown),
  }
}

function environmentOf({ tenantId }: AuditEntryRow, { staging, production }: AuditedBusiness): string | null {
  if (tenantId === staging) return 'staging'
  return tenantId === production ? 'production' : null
}

const columns = ['id', 'at', 'actor', 'role', 'environment', 'act', 'subject', 'outcome', 'address', 'device'] as const

async function* csvOf(entries: AsyncIterable<AuditEntryRow>, owner: AuditedBusiness): AsyncGenerator<string> {
  yield byteOrderMark + csvLine([...columns, 'request id', 'details'])
  for await (const entry of entries) {
    const { actor, role, act, subject, outcome, address, device, requestId, details } = entry
    const [at, environment] = [entry.at.toISOString(), environmentOf(entry, owner)]
    const who = [idOf(entry), at, actor, role, environment]
    yield csvLine([...who, act, subject, outcome ?? 'done', address, device, requestId, details])
  }
}
