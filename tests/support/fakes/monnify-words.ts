// Monnify's refusals, in its own envelope.

import { reservationExists } from './monnify-accounts.ts'
import type { ProviderWords } from './provider-words.ts'
import type { Answer } from './provider.ts'

/** Monnify refuses. With `done` it does the work all the same. */
export type Refused = { code: string; message?: string; status?: number; done?: true }

export const refusal = ({ code, message = 'Refused', status = 400 }: Refused): Answer => ({
  status,
  body: { requestSuccessful: false, responseMessage: message, responseCode: code },
})

export const monnifyWords: ProviderWords = {
  missing: refusal({ code: '99', message: 'Not found', status: 404 }),
  'no-money': refusal({ code: 'D04', message: 'Insufficient balance' }),
  'key-refused': { status: 401, body: { error: 'invalid_token' } },
  exists({ path }) {
    if (path.endsWith('/single')) return refusal({ code: 'D05', message: 'Supplied reference already exists!' })
    if (path.endsWith('/initiate-refund')) return refusal({ code: 'R9', message: 'Refund reference already exists' })
    const message = path.endsWith('/create') ? 'Invoice with this reference already exists.' : reservationExists
    return refusal({ code: '99', message, status: 422 })
  },
}
