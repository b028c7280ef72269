// What concerns the installation and no business: for operators alone.

import { queryOptions } from '@tanstack/react-query'
import { ask } from './client.ts'

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
  exceptions: { id: string; kind: string; subject: string; openedAt: string; says: string }[]
  breaks: { id: string; kind: string; subject: string; openedAt: string; says: string }[]
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
