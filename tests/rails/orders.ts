// Orders as the modules make them.

import type { Clock } from '#platform/clock.ts'
import { newUuid } from '#platform/ids.ts'
import { toMoney, type Money } from '#platform/money.ts'
import type { CollectionOrder, PayoutOrder, RailBank, RailOperator } from '#rails/rail.ts'
import type { DynamicAccountOrder, StaticAccountOrder } from '#rails/ports.ts'
import { railReferenceOf } from '#rails/formats.ts'

export const bank: RailBank = {
  slug: 'guaranty-trust-bank',
  name: 'Guaranty Trust Bank',
  code: '058',
  nipCode: '000013',
  cbnCode: '058',
}
export const handsetOperator: RailOperator = {
  slug: 'mtn-momo',
  name: 'MTN',
  country: 'NG',
  currency: 'NGN',
  decimals: 2,
  nipCode: '120003',
  requiresOtp: false,
  providerCodes: { paystackBankCode: '120003' },
}
export const codeOperator: RailOperator = {
  slug: '9psb',
  name: '9PSB',
  country: 'NG',
  currency: 'NGN',
  decimals: 2,
  nipCode: '120001',
  requiresOtp: true,
  providerCodes: { paystackBankCode: '120001' },
}

export function createOrderMaker(clock: Clock) {
  const tenantId = newUuid(clock.now())
  const railReference = (): string => railReferenceOf(newUuid(clock.now()))
  const common = (amount: Money) => ({
    tenantId,
    railReference: railReference(),
    amount,
    currency: 'NGN' as const,
    narration: 'Invoice 881',
    submittedAtMs: clock.now(),
  })
  return {
    payout(accountNumber: string, amount = toMoney(150_000)): PayoutOrder {
      return { ...common(amount), bank, accountNumber, accountName: 'ADA OBI' }
    },
    collection(phoneNumber: string, operator = handsetOperator, amount = toMoney(150_000)): CollectionOrder {
      return { ...common(amount), operator, phoneNumber, accountName: null, otpAcceptedAtMs: null }
    },
    staticAccount(): StaticAccountOrder {
      const customer = { firstName: 'Ada', lastName: 'Obi', email: null, phoneNumber: null, bvn: null }
      return { railReference: railReference(), bank, accountName: 'Ada Obi', attempt: 0, customer }
    },
    dynamicAccount(): DynamicAccountOrder {
      const { amount, currency } = common(toMoney(500_000))
      const expiresAtMs = clock.now() + 1_800_000
      return {
        railReference: railReference(),
        bank: null,
        accountName: 'Ada Obi',
        attempt: 0,
        amount,
        policy: 'exact',
        currency,
        expiresAtMs,
      }
    },
  }
}
