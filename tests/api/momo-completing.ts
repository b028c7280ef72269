// Tests that transfers and collections of mobile money share: the sandbox completes them.

import { describe, expect, it } from 'vitest'
import { momoFailureReasons } from '#rails/rail.ts'
import { expectError, expectSuccess, type Answer } from '#tests/support/client.ts'
import { asOwner } from '#tests/support/owner.ts'
import type { SharedService } from '#tests/support/service.ts'
import { momoOperations, phones, type MomoOperation } from '#tests/payments/momo-requests.ts'
import { balanceOf } from '#tests/payments/requests.ts'

export type MomoCompleting = {
  operation: MomoOperation
  /** The change of the balance by a success. */
  moved: number
  notFound: string
}

export function describeMomoCompleting(service: SharedService, { operation, moved, notFound }: MomoCompleting): void {
  const { path, body: bodyOf } = momoOperations[operation]
  const begun = async (): Promise<string> =>
    expectSuccess(await service.staging.post(path, bodyOf({ phoneNumber: phones.neverEnding }))).reference
  const pathOf = (reference: string): string => `/v1/sandbox/momo/${operation}/${reference}/complete`
  const complete = (reference: string, body: unknown): Promise<Answer> => service.staging.post(pathOf(reference), body)

  async function eventsOf(reference: string): Promise<string[]> {
    const asked = 'select name from event where reference = $1'
    const rows = await asOwner<{ name: string }>(service.database, asked, [reference])
    return rows.map(({ name }) => name)
  }

  describe('200', () => {
    it('completes with SUCCESS, once, however often it is said', async () => {
      const before = await balanceOf(service.staging)
      const reference = await begun()
      const answers = await Promise.all(Array.from({ length: 5 }, () => complete(reference, { status: 'SUCCESS' })))
      const [first] = answers.map((answer) => expectSuccess(answer))
      expect(first).toMatchObject({ status: 'SUCCESS', isFinal: true, operatorReference: expect.stringMatching(/\S/) })
      expect(expectSuccess(await service.staging.get(`${path}/${reference}`))).toEqual(first)
      expect((await balanceOf(service.staging)).ledger - before.ledger).toBe(moved)
      expect(await eventsOf(reference)).toEqual([`momo.${operation}.success`])
    })

    it.each(momoFailureReasons)('completes with FAILED %s, and no money has moved', async (failureReason) => {
      const before = await balanceOf(service.staging)
      const reference = await begun()
      const data = expectSuccess(await complete(reference, { status: 'FAILED', failureReason }))
      expect(data).toMatchObject({ status: 'FAILED', isFinal: true, failureReason })
      expect(data.failureMessage).toMatch(/^[A-Z].{20,}\.$/)
      expect(await balanceOf(service.staging)).toEqual(before)
      expect(await eventsOf(reference)).toEqual([`momo.${operation}.failed`])
    })
  })

  describe('400', () => {
    it.each([
      [{ status: 'REVERSED' }, 'status'],
      [{}, 'status'],
      [{ status: 'FAILED', failureReason: 'DORMANT_ACCOUNT' }, 'failureReason'],
    ])('refuses %j', async (body, field) => {
      const answer = await complete(await begun(), body)
      expectError(answer, 400, 'VALIDATION_ERROR')
      expect(answer.body.error?.details?.map((detail) => detail.field)).toEqual([field])
    })

    it("does not find an unknown one, nor another business's", async () => {
      expectError(await complete('unknown', { status: 'SUCCESS' }), 400, notFound)
      const other = await service.addBusiness('Other')
      expectError(await other.staging.post(pathOf(await begun()), { status: 'SUCCESS' }), 400, notFound)
    })
  })

  describe('401, 403 and 409', () => {
    it('refuses without a key', async () => {
      const options = { method: 'POST', body: { status: 'SUCCESS' }, headers: { Authorization: '' } }
      expectError(await service.staging.call(pathOf('a'), options), 401, 'UNAUTHORIZED')
    })

    it('is forbidden in production', async () => {
      expectError(await service.production.post(pathOf('a'), {}), 403, 'FORBIDDEN')
    })

    it('refuses what contradicts how it ended', async () => {
      const reference = await begun()
      expectSuccess(await complete(reference, { status: 'SUCCESS' }))
      const sentence = `The ${operation} is SUCCESS: it can no longer become FAILED.`
      expectError(await complete(reference, { status: 'FAILED' }), 409, 'CONFLICT', sentence)
    })
  })
}
