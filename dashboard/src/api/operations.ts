// What concerns the installation and no business: for operators alone.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'

/** Something that waits for a person: an exception, or a break of a rail. */
export type Finding = {
  /** Of a break. */
  rail?: string
  id: string
  kind: string
  environment: string
  subject: string
  reference: string | null
  businessId: string | null
  amount: number | null
  openedAt: string
  says: string
}

export type Operations = {
  rails: {
    name: string
    kind: string
    environment: string
    ports: string[]
    state: string
    breakers: { port: string; state: string }[]
    float: number | null
  }[]
  /** The oldest of all those that there are. */
  exceptions: Finding[]
  exceptionsTotal: number
  /** Where what a rail lists and what we have do not agree. */
  breaks: Finding[]
  notices: { stuck: number }
  pauses: { businessId: string | null; environment: string; since: string }[]
}

export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: async ({ signal }) => (await ask<Operations>('/dashboard/api/operations', { signal })).data,
})

export async function closeFinding(list: 'exceptions' | 'breaks', id: string, note: string): Promise<void> {
  await ask(`/dashboard/api/operations/${list}/${encodeURIComponent(id)}/close`, { method: 'POST', body: { note } })
}
