// The endpoints of the simulator: funding a balance, deposits, ending payments, and samples of events. They exist only on
// staging; with a key of production, api/server/authenticate.ts refuses them (`stagingOnly`).

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  amount,
  currencyField,
  koboData,
  noParams,
  noQuery,
  beyondTheBooks,
  validationError,
  accountNumber,
  text,
  referenceParams,
} from '#api/server/fields.ts'
import { depositStatuses } from '#deposits/deposit.ts'
import type { Deposits } from '#deposits/service.ts'
import type { Ledger } from '#ledger/ledger.ts'
import type { Result } from '#payments/payment.ts'
import type { Payments } from '#payments/service.ts'
import { bankFailureReasonNames } from '#payments/wire.ts'
import { toWire } from '#platform/money.ts'
import type { Webhooks } from '#webhooks/service.ts'
import { deliveryData } from '#webhooks/wire.ts'
import { depositReply, depositSchema, depositNotFound } from './deposits.ts'
import { momoTransfers, momoCompletion, momoCollections } from './momo-payments.ts'
import { currencyOff, paymentComplete } from './payments.ts'
import { bankTransfers } from './transfers.ts'
import { accountNotFound } from './virtual-accounts.ts'
import { deliverySchema, eventName } from './webhook-fields.ts'

export function sandboxBalanceFund(ledger: Ledger): Endpoint {
  return endpoint({
    operationId: 'fundBalance',
    method: 'POST',
    path: '/v1/sandbox/balance/fund',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Add money to the staging balance',
    description:
      'Staging only. The amount is an entry of type `funding` on the statement. A balance can be at most 9007199254740991.',
    params: noParams,
    query: noQuery,
    body: z.object({ amount, currency: currencyField }),
    stagingOnly: true,
    data: z.object({ amount: koboData, available: koboData, currency: z.string() }),
    handle: async ({ caller, body }) => {
      const outcome = await ledger.fund({ tenant: caller.tenant, ...body })
      if (outcome.kind === 'too-much') throw validationError([beyondTheBooks])
      if (outcome.kind === 'currency-off') throw currencyOff(body.currency)
      const { amount: added, currency } = body
      return { data: { amount: toWire(added), available: toWire(outcome.available), currency } }
    },
  })
}

const optionalText = text(100, 0).default('')

export function sandboxDeposits(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'simulateDeposit',
    method: 'POST',
    path: '/v1/sandbox/deposits',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Pay into a virtual account',
    description:
      'Staging only. The deposit is handled as a real one would be, so a wrong amount for a dynamic account ends FAILED.',
    body: z.object({
      accountNumber,
      amount,
      status: z.enum(depositStatuses, `must be one of ${depositStatuses.join(', ')}`).default('SUCCESSFUL'),
      senderAccountName: optionalText,
      senderAccountNumber: optionalText,
      senderBankName: optionalText,
      narration: optionalText,
    }),
    stagingOnly: true,
    data: depositSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, body }) =>
      depositReply(await deposits.simulate(caller.tenant, body), body.status, accountNotFound),
  })
}

export function sandboxDepositSettle(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'settleDeposit',
    method: 'POST',
    path: '/v1/sandbox/deposits/:reference/settle',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Settle a pending deposit, as its provider would',
    description:
      'Staging only. A deposit that has ended does not change: the same status again changes nothing, and the other one gets 409.',
    params: referenceParams,
    body: z.object({ status: z.enum(['SUCCESSFUL', 'FAILED'], 'must be SUCCESSFUL or FAILED') }),
    stagingOnly: true,
    data: depositSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body }) => {
      const outcome = await deposits.settle(caller.tenant, params.reference, body.status)
      return depositReply(outcome, body.status, depositNotFound)
    },
  })
}

const completionBody = z.object({
  status: z.enum(['SUCCESS', 'FAILED', 'REVERSED'], 'must be SUCCESS, FAILED or REVERSED'),
  failureReason: z
    .enum(bankFailureReasonNames, `must be one of ${bankFailureReasonNames.join(', ')}`)
    .default('PROVIDER_ERROR'),
})

export function sandboxTransferComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, bankTransfers, {
    operationId: 'completeTransfer',
    path: '/v1/sandbox/transfers/:reference/complete',
    tag: 'Simulator',
    summary: 'End a transfer now, as its bank would',
    description:
      'Staging only. `REVERSED` returns a transfer that succeeded. The same status again changes nothing; one that contradicts how the transfer ended gets 409.',
    body: completionBody,
    resultOf,
  })
}

function resultOf({ status, failureReason }: z.output<typeof completionBody>): Result {
  if (status === 'SUCCESS') return { kind: 'succeeded', sessionId: null }
  return status === 'FAILED' ? { kind: 'failed', reason: failureReason } : { kind: 'reversed' }
}

export function sandboxMomoTransferComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, momoTransfers, {
    operationId: 'completeMomoTransfer',
    path: '/v1/sandbox/momo/transfer/:reference/complete',
    tag: 'Simulator',
    summary: 'End a mobile-money transfer now, as its operator would',
    description:
      'Staging only. The same status again changes nothing; one that contradicts how the transfer ended gets 409.',
    ...momoCompletion,
  })
}

export function sandboxMomoCollectionComplete(payments: Payments): Endpoint {
  return paymentComplete(payments, momoCollections, {
    operationId: 'completeMomoCollection',
    path: '/v1/sandbox/momo/collection/:reference/complete',
    tag: 'Simulator',
    summary: 'End a collection now, as its operator would',
    description:
      'Staging only. The same status again changes nothing; one that contradicts how the collection ended gets 409.',
    ...momoCompletion,
  })
}

export function sandboxWebhooksTrigger({ endpointTests, log }: Webhooks): Endpoint {
  return endpoint({
    operationId: 'triggerWebhookEvent',
    method: 'POST',
    path: '/v1/sandbox/webhooks/trigger',
    scope: 'sandbox',
    tag: 'Simulator',
    summary: 'Send a sample of an event',
    description: 'Staging only. Sends a signed delivery of a sample event to every subscription to that event.',
    body: z.object({ event: eventName }),
    stagingOnly: true,
    data: z.object({
      event: eventName,
      queued: z.int().describe('How many deliveries are sent. Those of disabled subscriptions are only recorded.'),
      events: z.array(deliverySchema),
    }),
    handle: async ({ caller: { tenant }, body }) => {
      const { event, queued, records } = await endpointTests.triggerSample(tenant, body.event)
      const maxAttempts = log.maxAttempts(tenant.environment)
      return {
        data: { event, queued, events: records.map((one) => deliveryData(one, tenant.environment, maxAttempts)) },
      }
    },
  })
}
