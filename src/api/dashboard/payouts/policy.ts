// The endpoints for the approval policy of payouts. Every user who sees payments can read it, and owners change it. If
// the business has several owners, a second owner must confirm a change that makes the policy weaker.

import { z } from 'zod'
import type { AnyInput, DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { dashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { amount, currencyName } from '#api/server/fields.ts'
import { noPolicy, type Owner, type PayoutPolicy, type PolicyNow, type PolicyOutcome } from '#payouts/policy.ts'
import type { Tenant } from '#platform/context.ts'
import { ApiError } from '#platform/errors.ts'
import { toWire } from '#platform/money.ts'
import type { SignedIn } from '#users/service.ts'

const path = '/dashboard/api/b/:business/:environment/payout-policy'

const policyBody = z
  .object({
    mode: z.enum(['off', 'above', 'every'], 'must be off, above or every'),
    above: amount.nullish(),
    aboveIn: z.partialRecord(currencyName.exclude(['NGN']), amount).default({}),
    approvers: z.union([z.literal(1), z.literal(2)], 'must be 1 or 2').default(1),
  })
  .refine(({ mode, above }) => mode !== 'above' || (above !== null && above !== undefined), {
    path: ['above'],
    message: 'is required',
  })
  .transform(({ mode, above, aboveIn, approvers }): PayoutPolicy => {
    if (mode === 'off') return noPolicy
    return mode === 'every' ? { ...noPolicy, mode, approvers } : { mode, approvers, above: above ?? null, aboveIn }
  })

export function policyEndpoints({ rooms: { payouts } }: Pick<EndpointParts, 'rooms'>): DashboardEndpoint[] {
  const shown = async (tenant: Tenant, person: SignedIn) => ({
    data: shownPolicyNow(await payouts.policy(tenant), person),
  })
  return [
    dashboardEndpoint({
      method: 'GET',
      path,
      permission: 'payments.see',
      handle: ({ tenant, person }) => shown(tenant, person),
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path,
      permission: 'settings.change',
      body: policyBody,
      handle: async (input) => {
        requireSet(await payouts.setPolicy(input.tenant, ownerOf(input), input.body))
        return shown(input.tenant, input.person)
      },
    }),
    dashboardEndpoint({
      method: 'POST',
      path: `${path}/confirm`,
      permission: 'settings.change',
      body: policyBody,
      handle: async (input) => {
        requireSet(await payouts.confirmPolicy(input.tenant, ownerOf(input), input.body))
        return shown(input.tenant, input.person)
      },
    }),
  ]
}

type OwnerInput = Pick<AnyInput, 'by'> & { business: Owner['manager']['businessId']; person: SignedIn }

function ownerOf({ business, person: { person }, by }: OwnerInput): Owner {
  return { manager: { businessId: business, personId: person.id, by: by() }, personId: person.id, name: person.name }
}

function requireSet({ kind }: PolicyOutcome): void {
  switch (kind) {
    case 'set':
    case 'proposed':
      return
    case 'not-allowed':
      throw new ApiError('FORBIDDEN', 'Only an owner can change the approval policy.')
    case 'own-proposal':
      throw new ApiError('FORBIDDEN', 'Another owner must confirm the policy that you proposed.')
    case 'no-proposal':
      throw new ApiError('CONFLICT', 'This proposal has expired or was replaced. Reload the page.')
  }
}

/** `aboveIn` is left out if only naira has an amount, as in versions that knew no other currency. */
function shownPolicy({ mode, above, aboveIn, approvers }: PayoutPolicy): Record<string, unknown> {
  const others = Object.entries(aboveIn).map(([currency, one]) => [currency, toWire(one)] as const)
  const shownOthers = others.length === 0 ? {} : { aboveIn: Object.fromEntries<number>(others) }
  return { mode, above: above === null ? null : toWire(above), ...shownOthers, approvers }
}

function shownPolicyNow({ policy, proposal, isDecided }: PolicyNow, { person }: SignedIn): Record<string, unknown> {
  const proposed =
    proposal === undefined
      ? null
      : {
          policy: shownPolicy(proposal.policy),
          by: proposal.byName,
          isYours: proposal.by === person.id,
          at: proposal.at.toISOString(),
          expiresAt: proposal.expiresAt.toISOString(),
        }
  return { policy: shownPolicy(policy), proposal: proposed, isDecided }
}
