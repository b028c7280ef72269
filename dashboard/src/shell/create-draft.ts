// Creates a payout draft once, also if the user clicks twice or the response to the first click is lost.

import { useState } from 'react'
import { createDraft, isKeyUsed, type Draft, type NewDraft } from '#api/drafts.ts'
import { usePlace } from './place.ts'

/**
 * All clicks on a page have one key. If the user edits the rows after a lost response, the service refuses the key and
 * says that there is a draft with other rows. The next click has a new key, so that the user can go on.
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
