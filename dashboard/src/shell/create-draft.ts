// Creates a payout draft once, also if the user clicks twice or the response to the first click is lost.

import { useState } from 'react'
import { createDraft, isKeyUsed, type Draft, type NewDraft } from '#api/drafts.ts'
import { usePlace } from './place.ts'

/**
 * All clicks on a page send the same idempotency key. If the user edits the rows after a lost response, the service
 * refuses the key, because it belongs to a draft with other rows. The next click then sends a new key, so that the user
 * can go on.
 */
export function useCreateDraft(): (draft: NewDraft) => Promise<Draft> {
  const place = usePlace()
  const [key, setKey] = useState(() => crypto.randomUUID())
  return async (draft) => {
    try {
      return await createDraft(place, key, draft)
    } catch (error) {
      if (isKeyUsed(error)) setKey(crypto.randomUUID())
      throw error
    }
  }
}
