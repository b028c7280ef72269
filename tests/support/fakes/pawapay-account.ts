// pawaPay's answers about an account: "Active configuration", "Availability", "Predict provider".

import { z } from 'zod'
import { fakeOperators } from './pawapay-words.ts'
import type { Answer } from './provider.ts'

export type FakeAccount = {
  signatures: { signedRequestsOnly?: boolean; signedCallbacks?: boolean }
  /** Operators that are closed for payouts now. */
  closed: string[]
  /**
   * Uses the form of the documentation's list of operations, with its names of the limits, which differs from what real
   * accounts get.
   */
  inOneList: boolean
  /** Limits by operator, in place of 1 to 5000 in each operation. */
  limits: Partial<Record<string, FakeLimits>>
  /** How payers approve, by operator, in place of the usual way. */
  approvals: Partial<Record<string, string>>
  /** Answers no question about the configuration. */
  isDown: boolean
}

type FakeLimits = { min: string; max: string; lacks?: 'DEPOSIT' | 'PAYOUT' }

const operations = ['DEPOSIT', 'PAYOUT'] as const

const known = () =>
  Object.entries(fakeOperators).flatMap(([name, one]) => (one === undefined ? [] : [{ name, ...one }]))

const byCountry = () => [...Map.groupBy(known(), ({ country }) => country)]

export function configurationOf({ signatures, inOneList, limits: special, approvals }: FakeAccount): unknown {
  return {
    companyName: 'Demo',
    signatureConfiguration: { signedRequestsOnly: false, signedCallbacks: true, ...signatures },
    countries: byCountry().map(([country, list]) => ({
      country,
      displayName: { en: country },
      providers: list.map(({ name, currency, decimals, authType }) => {
        const { min, max, lacks } = special[name] ?? { min: '1', max: '5000' }
        const limits = inOneList
          ? { minTransactionLimit: min, maxTransactionLimit: max }
          : { minAmount: min, maxAmount: max }
        const all = operations
          .filter((one) => one !== lacks)
          .map((operationType) => ({
            operationType,
            ...limits,
            decimalsInAmount: decimals,
            status: 'OPERATIONAL',
            ...(operationType === 'DEPOSIT' ? { authType: approvals[name] ?? authType } : {}),
          }))
        const operationTypes = inOneList ? asDocumented(all) : Object.fromEntries(all.map(nameThem))
        return { provider: name, displayName: name, currencies: [{ currency, operationTypes }] }
      }),
    })),
  }
}

/** The documentation's sample lists the operations by a field, and deposits by a name around them. */
function asDocumented(all: Operation[]): unknown[] {
  return all.map((one) => (one.operationType === 'DEPOSIT' ? Object.fromEntries([nameThem(one)]) : one))
}

type Operation = { operationType: string }

function nameThem({ operationType, ...one }: Operation): [string, unknown] {
  return [operationType, one]
}

export function availabilityOf({ closed, inOneList }: FakeAccount): unknown {
  return byCountry().map(([country, list]) => ({
    country,
    providers: list.map(({ name }) => {
      const all = operations.map((operationType) => ({
        operationType,
        status: operationType === 'PAYOUT' && closed.includes(name) ? 'CLOSED' : 'OPERATIONAL',
      }))
      const operationTypes = inOneList
        ? all
        : Object.fromEntries(all.map(({ operationType, status }) => [operationType, status]))
      return { provider: name, operationTypes }
    }),
  }))
}

const question = z.strictObject({ phoneNumber: z.string().regex(/^\d{8,15}$/) })

export function predictionFor(body: unknown): Answer {
  const { phoneNumber } = question.parse(body)
  const found = known().find(({ prefix }) => phoneNumber.startsWith(prefix))
  const failureReason = { failureCode: 'INVALID_PARAMETER', failureMessage: 'Invalid phone number' }
  return found === undefined
    ? { status: 400, body: { failureReason } }
    : { status: 200, body: { country: found.country, provider: found.name, phoneNumber } }
}
