// Turns the endpoints of /v1 into endpoints of the dashboard: the same endpoint values, below a business and an
// environment, with a membership in place of a key. Adds the approval policy for payouts, and audit entries for writes.

import { ApiError } from '#platform/errors.ts'
import type { Environment } from '#platform/context.ts'
import { present } from '#platform/assert.ts'
import type { Endpoint } from '#api/server/endpoint.ts'
import { whoseOf, type Acts } from './acts.ts'
import type { AnyInput, DashboardEndpoint, DashboardReply } from './endpoint.ts'
import type { Permission } from './permissions.ts'
import { currencyOfMomo } from '#payments/service.ts'
import { amountIn, describePolicy } from '#payouts/policy.ts'
import type { Payouts } from '#payouts/service.ts'
import { toMoney } from '#platform/money.ts'

/**
 * The permission for each operationId. If one is missing, the service does not start, so that every new endpoint gets
 * its permission deliberately.
 */
const permissionOf: Record<string, Permission> = {
  ...all('payments.see', 'listTransfers', 'getTransfer', 'listMomoTransfers', 'getMomoTransfer'),
  ...all('payments.see', 'listMomoCollections', 'getMomoCollection', 'listDeposits', 'getDeposit', 'validateDeposit'),
  ...all('payments.see', 'listCustomers', 'getCustomer', 'listVirtualAccounts', 'getVirtualAccount'),
  ...all('payments.see', 'listBanks', 'resolveBankAccount', 'listMomoOperators', 'resolvePhoneNumber', 'getFee'),
  ...all('balance.see', 'getBalance', 'listLedgerEntries'),
  ...all('customers.change', 'createCustomer', 'updateCustomer'),
  ...all('customers.change', 'openStaticAccount', 'openDynamicAccount', 'closeVirtualAccount'),
  ...all('payouts.propose', 'initiateTransfer', 'initiateTransfers', 'initiateMomoTransfer'),
  ...all('payouts.propose', 'initiateMomoCollection', 'verifyCollectionOtp'),
  ...all('webhooks.see', 'listWebhooks', 'getWebhook', 'listWebhookDeliveries', 'getWebhookDelivery'),
  ...all('webhooks.see', 'retryWebhookDelivery', 'retryWebhookDeliveries', 'testWebhook', 'listEvents'),
  ...all('webhooks.change', 'createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret'),
  ...all('simulator', 'fundBalance', 'simulateDeposit', 'settleDeposit', 'triggerWebhookEvent'),
  ...all('simulator', 'completeTransfer', 'completeMomoTransfer', 'completeMomoCollection'),
}

/** The webhooks module records these operations in the audit log itself. */
const recordedByModule = new Set(['createWebhook', 'updateWebhook', 'deleteWebhook', 'rotateWebhookSecret'])

/** The fields of a body that decide the amount and the currency of a payout. */
type Sent = { amount?: unknown; transfers?: unknown; phoneNumber?: string | null; operator?: string | null }

const payouts = new Set(['initiateTransfer', 'initiateTransfers', 'initiateMomoTransfer'])

/** Throws if the policy requires approval for this payout: the user must then create a draft for it. */
async function requireNoApproval(
  { operationId }: Endpoint,
  { tenant, body }: AnyInput,
  policies: Pick<Payouts, 'approvalFor'>,
): Promise<void> {
  if (!payouts.has(operationId)) return
  const { amount, transfers, phoneNumber, operator } = body as Sent
  const whose = present(tenant, 'the path names an environment')
  // The mobile-money operator decides the currency. If the body names another currency, the payout is refused later.
  const isMomo = operationId === 'initiateMomoTransfer'
  const currency = isMomo ? currencyOfMomo(whose, { operator, phoneNumber }) : 'NGN'
  const amounts = Array.isArray(transfers) ? (transfers as (Sent | null)[]).map((one) => one?.amount) : [amount]
  const total = amounts.reduce<bigint>((sum, one) => sum + minorUnits(one), 0n)
  const policy = await policies.approvalFor(whose, toMoney(total), currency)
  if (policy === undefined) return
  const isClosed = policy.mode === 'above' && amountIn(policy, currency) === null
  const why = isClosed ? ` It has no amount for ${currency}, so every payout in ${currency} needs approval.` : ''
  const sentence = `The policy of this business is: ${describePolicy(policy)}.${why} Send this payout for approval.`
  throw new ApiError('APPROVAL_REQUIRED', sentence)
}

/**
 * Items of a bulk request are not validated yet. An invalid amount counts as 0, because its item is refused later. So
 * does a negative amount, which would otherwise reduce the total of the other items.
 */
function minorUnits(amount: unknown): bigint {
  const isWhole = typeof amount === 'bigint' || Number.isSafeInteger(amount)
  const units = isWhole ? BigInt(amount as number | bigint) : 0n
  return units > 0n ? units : 0n
}

export function asDashboardEndpoint(
  endpoint: Endpoint,
  acts: Acts,
  policies: Pick<Payouts, 'approvalFor'>,
): DashboardEndpoint {
  const { operationId, method, path } = endpoint
  const permission = present(permissionOf[operationId], `${operationId} has a permission`)
  const writes = method !== 'GET'
  return {
    ...endpoint,
    permission,
    writes,
    path: `/dashboard/api/b/:business/:environment${path}`,
    stepUp: undefined,
    handle: async (input) => {
      await requireNoApproval(endpoint, input, policies)
      const call = (): Promise<DashboardReply> => endpoint.handle({ ...input, ...callerOf(input, endpoint) })
      return writes && !recordedByModule.has(operationId) ? callRecorded(endpoint, input, acts, call) : call()
    },
  }
}

/** Records the call before it runs and how it ended. If the process dies in between, only the first entry exists. */
async function callRecorded(
  { operationId: operation }: Endpoint,
  { by, business, tenant, params, body }: AnyInput,
  acts: Acts,
  call: () => Promise<DashboardReply>,
): Promise<DashboardReply> {
  const subject = subjectOf(params) ?? subjectOf(body)
  const common = { by: by(), act: 'dashboard.asked' as const, ...whoseOf({ business, tenant }) }
  const about = subject === undefined ? common : { ...common, subject }
  await acts.write({ ...about, outcome: 'asked', details: { operation } })
  let reply: DashboardReply
  try {
    reply = await call()
  } catch (error) {
    const code = error instanceof ApiError ? error.code : 'INTERNAL_ERROR'
    await acts.ended({ ...about, outcome: 'failed', details: { operation, code } })
    throw error
  }
  await acts.ended({ ...about, outcome: 'done', details: { operation } })
  return reply
}

/** The most characters that the audit log stores. No record has a reference or id that is as long. */
const subjectLengthMax = 200

/**
 * The value of the field that names the record, if there is one. It is cut, because a path can hold a text of any
 * length.
 */
function subjectOf(fields: unknown): string | undefined {
  const { reference, accountNumber, id, eventId } = (fields ?? {}) as Record<string, unknown>
  const subject = [reference, accountNumber, id, eventId].find((value) => typeof value === 'string')
  return subject?.slice(0, subjectLengthMax).toWellFormed()
}

function callerOf(
  { tenant, visitor }: AnyInput,
  { stagingOnly }: Endpoint,
): Pick<Parameters<Endpoint['handle']>[0], 'caller' | 'requestId'> {
  const whose = present(tenant, 'the path names an environment')
  const production: Environment = 'production'
  if (stagingOnly && whose.environment === production)
    throw new ApiError('FORBIDDEN', 'This endpoint controls the simulator, which exists only on staging.')
  const twins = { confirmed: visitor.confirmed }
  return { caller: { tenant: whose, keyId: null, twins }, requestId: visitor.requestId }
}

function all(permission: Permission, ...operationIds: string[]): Record<string, Permission> {
  return Object.fromEntries(operationIds.map((id) => [id, permission]))
}
