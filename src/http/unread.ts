// Answers that were written and that their callers have not taken yet stay in memory. A business that asks for much and reads
// nothing, on however many connections, is refused before it fills the process.

import type { ServerResponse } from 'node:http'
import { Unavailable } from '#base/error.ts'
import type { Uuid } from '#base/ids.ts'

/** Ten of the largest pages, 100 payments with all the metadata that they may have. */
export const unreadBytesPerTenantMax = 32 * 1024 * 1024
/** The kernel takes smaller ones at once, whoever reads them; they are not worth the counting. */
const countedCharactersMin = 16 * 1024

export type Unread = {
  /** Throws while so much waits to be read by this tenant. */
  check(tenantId: Uuid): void
  /** Counts an answer until it has left, or its connection is gone. */
  add(tenantId: Uuid, response: ServerResponse, body: string): void
}

export function createUnread(bytesPerTenantMax = unreadBytesPerTenantMax): Unread {
  const unread = new Map<Uuid, number>()
  return {
    check(tenantId) {
      if ((unread.get(tenantId) ?? 0) < bytesPerTenantMax) return
      throw new Unavailable('Too much of what was answered has not been read. Read the answers that are on their way.')
    },
    add(tenantId, response, body) {
      if (body.length < countedCharactersMin) return
      const bytes = Buffer.byteLength(body)
      unread.set(tenantId, (unread.get(tenantId) ?? 0) + bytes)
      response.on('close', () => {
        const left = (unread.get(tenantId) ?? 0) - bytes
        if (left > 0) unread.set(tenantId, left)
        else unread.delete(tenantId)
      })
    },
  }
}
