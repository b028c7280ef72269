// The audit log of both environments of a business.

import { keepPreviousData, queryOptions } from '@tanstack/react-query'
import { ask, underBusiness, type Query } from './client.ts'

export type AuditEntry = {
  id: string
  at: string
  /**
   * The id of the person who acted; null if the actor is not a person. `actor` is a person's e-mail address, or else
   * the name of the actor.
   */
  person: string | null
  actor: string | null
  actorKind: string
  role: string | null
  environment: string | null
  act: string
  subject: string | null
  outcome: 'asked' | 'done' | 'refused' | 'failed'
  address: string | null
  device: string | null
  requestId: string | null
  details: Record<string, string | number | boolean | readonly string[] | null> | null
}

export function auditQuery(businessId: string, query: Query) {
  return queryOptions({
    queryKey: [businessId, 'audit', query],
    queryFn: ({ signal }) => ask<{ entries: AuditEntry[] }>(underBusiness(businessId, 'audit'), { query, signal }),
    placeholderData: keepPreviousData,
  })
}
