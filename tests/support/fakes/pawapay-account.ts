// What pawaPay says of an account: "Active configuration", "Availability", "Predict provider".

import { z } from 'zod'
import { fakeOperators } from './pawapay-words.ts'
import type { Answer } from './provider.ts'

export type FakeAccount = {
  signatures: { signedRequestsOnly?: boolean; signedCallbacks?: boolean }
  /** Operators that are closed for payouts now. */
  closed: string[]
  /** Operations as the list of the documentation, with its names of the limits, in place of what accounts get. */
  inOneList: boolean
}

const operations = ['DEPOSIT', 'PAYOUT'] as const

const known = () =>
  Object.entries(fakeOperators).flatMap(([name, one]) => (one === undefined ? [] : [{ name, ...one }]))

const byCountry = () => [...Map.groupBy(known(), ({ country }) => country)]

export function configurationOf({ signatures, inOneList }: FakeAccount): unknown {
  return {
    companyName: 'Demo',
    signatureConfiguration: { signedRequestsOnly: false, signedCallbacks: true, ...signatures },
    countries: byCountry().map(([country, list]) => ({
      country,
      displayName: { en: country },
      providers: list.map(({ name, currency, decimals, authType }) => {
        const limits = inOneList
          ? { minTransactionLimit: '1', maxTransactionLimit: '5000' }
          : { minAmount: '1', maxAmount: '5000' }
        const all = operations.map((operationType) => ({
          operationType,
          ...limits,
          decimalsInAmount: decimals,
          status: 'OPERATIONAL',
          ...(operationType === 'DEPOSIT' ? { authType } : {}),
        }))
        const operationTypes = inOneList ? all : Object.fromEntries(all.map((one) => [one.operationType, one]))
        return { provider: name, displayName: name, currencies: [{ currency, operationTypes }] }
      }),
    })),
  }
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
