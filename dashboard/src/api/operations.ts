// What concerns the installation and no business: for operators alone.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'

/** Something that waits for a person. */
export type Finding = { id: string; kind: string; subject: string; openedAt: string; says: string }

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
  exceptions: Finding[]
  breaks: Finding[]
  notices: { stuck: number }
  pauses: { business: string | null; environment: string; since: string; by: string | null; reason: string | null }[]
}

export const operationsQuery = queryOptions({
  queryKey: ['operations'],
  queryFn: async ({ signal }) => (await ask<Operations>('/dashboard/api/operations', { signal })).data,
})

export async function closeFinding(kind: 'exceptions' | 'breaks', id: string, note: string): Promise<void> {
  await ask(`/dashboard/api/operations/${kind}/${encodeURIComponent(id)}/close`, { method: 'POST', body: { note } })
}
