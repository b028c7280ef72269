// Schemas of pawaPay's answers: the fields that we use are checked strictly, others may change.

import { z } from 'zod'
import { type Currency, decimalsOf, type Money, negate, roundMillionths, toMoney } from '#platform/money.ts'

const failureReason = z.object({ failureCode: z.string().min(1).max(100), failureMessage: z.string().nullish() })

export const refusalBody = z.object({ failureReason })

export const submittedBody = z.object({
  payoutId: z.string().optional(),
  depositId: z.string().optional(),
  status: z.string(),
  failureReason: failureReason.nullish().catch(null),
})

const party = z.object({
  accountDetails: z.object({
    // The documentation's own sample has the second spelling.
    phoneNumber: z.string().nullish(),
    phoneNUmber: z.string().nullish(),
    provider: z.string().nullish(),
  }),
})

export const paymentData = z.object({
  payoutId: z.string().optional(),
  depositId: z.string().optional(),
  status: z.string(),
  amount: z.unknown(),
  currency: z.string(),
  recipient: party.nullish(),
  payer: party.nullish(),
  providerTransactionId: z.string().min(1).nullish().catch(null),
  failureReason: failureReason.nullish().catch(null),
})
export type PaymentData = z.output<typeof paymentData>

export const statusBody = z.discriminatedUnion('status', [
  z.object({ status: z.literal('FOUND'), data: z.unknown() }),
  z.object({ status: z.literal('NOT_FOUND') }),
])

export const keysBody = z.object({
  rows: z.array(z.object({ id: z.string().min(1).max(200), key: z.string().min(1).max(5_000) })).max(50),
})

export const balancesBody = z.object({
  balances: z
    .array(
      z.object({
        country: z.string().regex(/^[A-Z]{3}$/),
        currency: z.string(),
        balance: z.union([z.string(), z.number()]),
        provider: z.string().nullish(),
      }),
    )
    .max(1_000),
})

const amountOnWire = z.union([z.string(), z.int()]).transform(String)

/** An operation of an operator. The documentation and answers of accounts differ in the names of the limits. */
const operation = z.object({
  operationType: z.string().optional(),
  authType: z.string().optional(),
  status: z.string().optional(),
  decimalsInAmount: z.string().optional(),
  minAmount: amountOnWire.optional(),
  maxAmount: amountOnWire.optional(),
  minTransactionLimit: amountOnWire.optional(),
  maxTransactionLimit: amountOnWire.optional(),
})
export type AccountOperation = z.output<typeof operation>

/**
 * Reads the value of each operation (deposit, payout…). Answers have an object with a member for each operation. The
 * documentation's sample has a list instead, whose items name their operation or are such objects.
 */
function byOperation<Value extends { operationType?: string | undefined }>(value: z.ZodType<Value>) {
  const named = z.record(z.string(), value).transform((byName) => Object.entries(byName))
  const typed = z
    .object({ operationType: z.string() })
    .and(value)
    .transform((one): [string, Value][] => [[one.operationType, one]])
  return z.union([
    z.array(z.union([typed, named])).transform((items) => new Map(items.flat())),
    named.transform((entries) => new Map(entries)),
  ])
}

export const configurationBody = z.object({
  companyName: z.string().optional(),
  signatureConfiguration: z
    .object({ signedRequestsOnly: z.boolean().optional(), signedCallbacks: z.boolean().optional() })
    .nullish(),
  countries: z.array(
    z.object({
      country: z.string(),
      providers: z.array(
        z.object({
          provider: z.string(),
          currencies: z.array(z.object({ currency: z.string(), operationTypes: byOperation(operation) })),
        }),
      ),
    }),
  ),
})

const health = z.object({ operationType: z.string().optional(), status: z.string() })

/** Some answers have the status directly as the value of the operation, without an object around it. */
const healths = z.union([
  byOperation(health),
  z
    .record(
      z.string(),
      z.string().transform((status) => ({ status })),
    )
    .transform((named) => new Map(Object.entries(named))),
])

export const availabilityBody = z.object({
  rows: z.array(z.object({ providers: z.array(z.object({ provider: z.string(), operationTypes: healths })) })),
})

export const predictionBody = z.object({ country: z.string(), provider: z.string() })

export const statementMadeBody = z.object({
  status: z.string(),
  statementId: z.string().min(1).max(100).optional(),
  failureReason: failureReason.nullish().catch(null),
})

export const statementStatusBody = z.discriminatedUnion('status', [
  z.object({
    status: z.literal('FOUND'),
    data: z.object({ status: z.string(), downloadUrl: z.string().min(1).max(5_000).optional() }),
  }),
  z.object({ status: z.literal('NOT_FOUND') }),
])

/** The body of a callback. Only a final status is compared with the answer to the status query (notices.ts). */
export const callbackBody = z.object({
  payoutId: z.uuid().optional(),
  depositId: z.uuid().optional(),
  status: z.string().optional(),
})

// Amounts at pawaPay are texts in the major unit: `1500`, `12.5`. What we send has no trailing zero after the point,
// because pawaPay's pattern refuses such amounts. Amounts in its answers may have trailing zeros.

export function amountText(amount: Money, currency: Currency): string {
  const unit = 10n ** BigInt(decimalsOf(currency))
  const fraction = decimalsOf(currency) === 0 ? '' : String(amount % unit).padStart(decimalsOf(currency), '0')
  const digits = fraction.replace(/0+$/, '')
  return digits === '' ? String(amount / unit) : `${amount / unit}.${digits}`
}

const written = /^(\d{1,18})(?:\.(\d{1,6}))?$/

/** Undefined if `unchecked` is no amount or has a fraction of the minor unit. Accepts strings and whole numbers. */
export function amountIn(unchecked: unknown, currency: Currency): Money | undefined {
  const text = typeof unchecked === 'number' && Number.isSafeInteger(unchecked) ? String(unchecked) : unchecked
  const [, whole, fraction = ''] = (typeof text === 'string' ? written.exec(text) : null) ?? []
  if (whole === undefined) return undefined
  const decimals = decimalsOf(currency)
  const rest = fraction.slice(decimals)
  if (/[1-9]/.test(rest)) return undefined
  return toMoney(BigInt(whole + fraction.slice(0, decimals).padEnd(decimals, '0')))
}

/** Reads an amount in millionths of the minor unit, of which fees may have fractions. Undefined if it is no amount. */
export function millionthsIn(text: string, currency: Currency): bigint | undefined {
  const [, whole, fraction = ''] = written.exec(text) ?? []
  return whole === undefined ? undefined : BigInt(whole + fraction.padEnd(decimalsOf(currency) + 6, '0'))
}

/** The balance of a wallet, rounded, and negative if fees overdrew the wallet. Undefined if it cannot be read. */
export function heldIn(unchecked: string | number, currency: Currency): Money | undefined {
  const [, sign, digits = ''] = /^(-?)(.*)$/.exec(String(unchecked)) ?? []
  const exact = millionthsIn(digits, currency)
  if (exact === undefined) return undefined
  const amount = toMoney(roundMillionths(exact))
  return sign === '-' ? negate(amount) : amount
}
