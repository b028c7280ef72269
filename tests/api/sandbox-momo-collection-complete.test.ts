import { describe, expect, it } from 'vitest'
import { expectSuccess } from '#tests/support/client.ts'
import { shareService } from '#tests/support/service.ts'
import { collectBody, phones } from '#tests/payments/momo-requests.ts'
import { describeMomoCompleting } from './momo-completing.ts'

const service = await shareService()

describeMomoCompleting(service, { operation: 'collection', moved: 198_000, notFound: 'COLLECTION_NOT_FOUND' })

describe('200 while it waits for a code', () => {
  it.each(['SUCCESS', 'FAILED'])('completes with %s', async (status) => {
    const asked = await service.staging.post('/v1/momo/collection', collectBody({ phoneNumber: phones.otp }))
    const { reference, ...begun } = expectSuccess(asked)
    expect(begun.status).toBe('OTP_REQUIRED')
    const answer = await service.staging.post(`/v1/sandbox/momo/collection/${reference}/complete`, { status })
    expect(expectSuccess(answer)).toMatchObject({ status, isFinal: true })
  })
})
