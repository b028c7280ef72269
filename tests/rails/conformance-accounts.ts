// The conformance suite of rails that open accounts.

import { describe, expect, it } from 'vitest'
import type { DynamicAccountOrder, NewAccount, StaticAccountOrder, VirtualAccounts } from '#rails/ports.ts'

export type AccountsBench = {
  accounts: VirtualAccounts
  newStatic: () => StaticAccountOrder
  /** Undefined: the rail opens no dynamic accounts. */
  newDynamic?: () => DynamicAccountOrder
}

/** The account number, or the kind of the answer if there is none. */
export const numberOf = (answer: NewAccount): string => (answer.kind === 'created' ? answer.accountNumber : answer.kind)

export function describeVirtualAccounts(name: string, { accounts, newStatic, newDynamic }: AccountsBench): void {
  const created = {
    kind: 'created',
    accountNumber: expect.stringMatching(/^\d{10}$/),
    accountName: expect.stringMatching(/./),
    bankName: expect.stringMatching(/./),
    bankSlug: expect.stringMatching(/^[A-Za-z0-9-]+$/),
  }
  const given = (answer: NewAccount): Extract<NewAccount, { kind: 'created' }> => {
    if (answer.kind !== 'created') throw new Error(`expected an account, not ${JSON.stringify(answer)}`)
    return answer
  }

  describe(`${name}: virtual accounts`, () => {
    it('opens an account for a customer, and the same order is the same account', async () => {
      const order = newStatic()
      const first = await accounts.createStatic(order)
      expect(first).toMatchObject(created)
      expect(await accounts.createStatic(order)).toEqual(first)
    })

    if (newDynamic !== undefined) {
      it('opens one for a payment, and the same order is the same account', async () => {
        const order = newDynamic()
        const first = await accounts.createDynamic(order)
        expect(first).toMatchObject(created)
        expect(await accounts.createDynamic(order)).toEqual(first)
      })
    }

    it('gives another number for the next attempt of an order', async () => {
      const order = newStatic()
      const [first, second] = [
        await accounts.createStatic(order),
        await accounts.createStatic({ ...order, attempt: 1 }),
      ]
      expect(given(second).accountNumber).not.toBe(given(first).accountNumber)
    })

    it('gives the same number again, after a correction of the customer and to many callers at once', async () => {
      const order = newStatic()
      const first = await accounts.createStatic(order)
      const customer = {
        ...order.customer,
        lastName: 'Bello',
        email: 'ngozi@example.com',
        phoneNumber: '+2348030000001',
      }
      const again = await Promise.all([1, 2, 3].map(() => accounts.createStatic({ ...order, customer })))
      expect(again).toEqual([first, first, first])
      const other = await accounts.createStatic({ ...newStatic(), customer: order.customer })
      expect(other).not.toMatchObject({ accountNumber: first.kind === 'created' ? first.accountNumber : '' })
    })

    it('opens an account at the default bank when none is named', async () => {
      expect(await accounts.createStatic({ ...newStatic(), bank: null })).toMatchObject({
        bankSlug: accounts.defaultBankSlug,
      })
    })

    it('closes, also a closed account; an account without a handle may lapse by itself, and says when', async () => {
      const orders = [newStatic(), ...(newDynamic === undefined ? [] : [newDynamic()])]
      for (const order of orders) {
        const answer = 'customer' in order ? await accounts.createStatic(order) : await accounts.createDynamic(order)
        const { accountNumber, handle, expiresAtMs } = given(answer)
        const account = { railReference: order.railReference, accountNumber, handle }
        const closed = await accounts.close(account)
        if (closed.kind === 'unavailable' && handle === null && expiresAtMs !== undefined) continue
        expect(closed).toEqual({ kind: 'closed' })
        expect(await accounts.close(account)).toEqual({ kind: 'closed' })
      }
    })
  })
}
