// Tests that the requests for transfers and collections of mobile money share.

import { describe, expect, it } from 'vitest'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import type { TestService } from '#tests/support/service.ts'
import { momoOperations, phones, untilMomo, type MomoOperation } from '#tests/payments/momo-requests.ts'
import { balanceOf, neverEnding, transferBody } from '#tests/payments/requests.ts'

export type MomoSending = {
  operation: MomoOperation
  /** The amount that one payment of the usual amount reserves. */
  reserved: number
  idPrefix: string
}

export function describeMomoSending(service: TestService, { operation, reserved, idPrefix }: MomoSending): void {
  const { path, body: bodyOf } = momoOperations[operation]
  const another = operation === 'transfer' ? 'collection' : 'transfer'
  const other = momoOperations[another]
  const post = (body: unknown): Promise<Answer> => service.staging.post(path, body)

  describe('200, as of the other one,', () => {
    it('keeps the number in one form, the operator that was named, narration and metadata', async () => {
      const phoneNumber = '2348030000000'
      const asked = { phoneNumber, operator: 'airtel-smartcash', narration: 'May', metadata: { a: 'b' } }
      expect(expectSuccess(await post(bodyOf(asked)))).toMatchObject({ ...asked, phoneNumber: `+${phoneNumber}` })
    })

    it('replays the first answer verbatim, whatever the status is now and however the phone number is written', async () => {
      const body = bodyOf()
      const first = expectSuccess(await post(body))
      await untilMomo(service.staging, operation, String(body['reference']), 'SUCCESS')
      const again = await post({ ...body, phoneNumber: '+2348000000001', narration: 'other', metadata: { b: 'c' } })
      expect(expectSuccess(again)).toEqual(first)
      expect(again.headers['idempotent-replayed']).toBe('true')
    })

    it('makes one record of 50 parallel requests, and answers them all alike', async () => {
      const { staging } = await service.addBusiness('Parallel')
      const body = bodyOf({ phoneNumber: phones.neverEnding })
      const answers = await Promise.all(Array.from({ length: 50 }, () => staging.post(path, body)))
      const all = answers.map((answer) => expectSuccess(answer))
      for (const one of all) expect(one).toEqual(all[0])
      expect(answers.filter((answer) => answer.headers['idempotent-replayed'] === undefined)).toHaveLength(1)
      expect((await balanceOf(staging)).reserved).toBe(reserved)
    })
  })

  describe('400, as of the other one,', () => {
    it.each([
      [{ phoneNumber: 8_030_000_000 }, 'phoneNumber', 'must be a string: as a number it would lose its leading zero'],
      [{ phoneNumber: '0803' }, 'phoneNumber', /^phoneNumber must be a phone number such as/],
      [{ phoneNumber: undefined }, 'phoneNumber', /./],
      [{ amount: 0 }, 'amount', 'must be at least 1'],
      [{ amount: 1.5 }, 'amount', /kobo/],
      [{ amount: '100' }, 'amount', /kobo/],
      [{ reference: '' }, 'reference', 'must not be empty'],
      [{ operator: 7 }, 'operator', 'must be a string'],
      [{ currency: 'USD' }, 'currency', 'must be NGN'],
      [{ narration: 'x'.repeat(101) }, 'narration', /100/],
      [{ metadata: { a: 1 } }, 'metadata.a', /./],
    ])('refuses %j', async (changes, field, message) => {
      const answer = await post(bodyOf(changes))
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details).toMatchObject([{ field, message: expect.stringMatching(message) }])
    })

    it('does not know an operator by that slug; a number without a known prefix needs one', async () => {
      expectError(await post(bodyOf({ operator: 'moon' })), 400, 'INVALID_OPERATOR', /moon/)
      const unknown = await post(bodyOf({ phoneNumber: '08990000000' }))
      expectError(unknown, 400, 'INVALID_OPERATOR', /Send operator\./)
      expect(unknown.body.error?.details?.map(({ field }) => field)).toEqual(['operator'])
      expectSuccess(await post(bodyOf({ phoneNumber: '08990000000', operator: 'mtn-momo' })))
    })
  })

  describe('409', () => {
    it.each([
      [{ amount: 1 }, 'amount'],
      [{ phoneNumber: '08000000001' }, 'phoneNumber'],
      [{ operator: 'airtel-smartcash' }, 'operator'],
    ])('names the field of %j that differs', async (changes, field) => {
      const body = bodyOf({ phoneNumber: phones.neverEnding })
      const { id } = expectSuccess(await post(body))
      const answer = await post({ ...body, ...changes })
      expectError(answer, 409, 'CONFLICT', new RegExp(`another ${field} before: ${id}`))
      expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
    })

    it('names the operation that has the reference', async () => {
      const bank = transferBody({ accountNumber: neverEnding })
      expectSuccess(await service.staging.post('/v1/transfers/initiate', bank))
      const taken = await post(bodyOf({ reference: bank['reference'] }))
      expectError(taken, 409, 'CONFLICT', /by a bank transfer before: trf_/)
      const theirs = other.body({ phoneNumber: phones.neverEnding })
      expectSuccess(await service.staging.post(other.path, theirs))
      const alsoTaken = await post(bodyOf({ reference: theirs['reference'] }))
      expectError(alsoTaken, 409, 'CONFLICT', new RegExp(`by a mobile-money ${another} before`))
      const mine = bodyOf({ phoneNumber: phones.neverEnding })
      expectSuccess(await post(mine))
      const late = await service.staging.post('/v1/transfers/initiate', transferBody({ reference: mine['reference'] }))
      expectError(late, 409, 'CONFLICT', new RegExp(`by a mobile-money ${operation} before: ${idPrefix}_`))
    })
  })

  describe('401 and 503', () => {
    it('refuses without a key', async () => {
      const options = { method: 'POST', body: bodyOf(), headers: { Authorization: '' } }
      expectError(await service.staging.call(path, options), 401, 'UNAUTHORIZED')
    })

    it('never pretends in production: it names the missing setting before it looks at the balance', async () => {
      const answer = await service.production.post(path, bodyOf({ phoneNumber: '08030000000' }))
      const sentence = new RegExp(`^Mobile-money ${operation}s are not available here.*RAILS_FILE`)
      expectError(answer, 503, 'SERVICE_UNAVAILABLE', sentence)
      expect(Number(answer.headers['retry-after'])).toBeGreaterThan(0)
    })
  })
}
