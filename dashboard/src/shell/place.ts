// The current business and environment, and the user's permissions there.

import { useSuspenseQuery } from '@tanstack/react-query'
import { useParams } from '@tanstack/react-router'
import type { Place } from '#api/client.ts'
import { meQuery, type Me, type Membership, type Permission } from '#api/me.ts'

/** Use this within the guard, where a person is signed in. */
export function useMe(): Me {
  return useSuspenseQuery(meQuery).data
}

export function usePlace(): Place {
  const { businessId = '', environment = 'staging' }: Partial<Place> = useParams({ strict: false })
  return { businessId, environment }
}

export function useParam(name: string): string {
  const params = useParams({ strict: false }) as Readonly<Record<string, string | undefined>>
  return params[name] ?? ''
}

export function findMembership(me: Me, { businessId }: Place): Membership | undefined {
  return me.businesses.find(({ id }) => id === businessId)
}

export function useMembership(): Membership {
  const membership = findMembership(useMe(), usePlace())
  if (membership === undefined) throw new Error('The frame shows no page of a business that this person is not in.')
  return membership
}

/**
 * True if the business requires a second factor and the person has none. Such a person can reach nothing of the
 * business.
 */
export function isFactorDue({ person }: Me, { isFactorCompulsory }: Membership): boolean {
  return !person.hasSecondFactor && isFactorCompulsory
}

/** The reason why the role does not have this permission in this environment, as a sentence; undefined if it has it. */
export function useRoleRefusal(permission: Permission): string | undefined {
  const { environment } = usePlace()
  const { role, permissions } = useMembership()
  if (permissions[environment].includes(permission)) return undefined
  const where = permissions.staging.includes(permission) ? ' in production' : ''
  return `Your role, ${role}, may not ${deeds[permission]}${where}.`
}

/**
 * The reason why this person may not do this here, as a sentence for a button; undefined if they may. The server
 * decides again; this only shows it in advance. `webhooks.see` also covers sending deliveries again, so such a button
 * passes 'writes'.
 */
export function useRefusal(
  permission: Permission,
  does: 'reads' | 'writes' = readings.has(permission) ? 'reads' : 'writes',
): string | undefined {
  const { hasSecondFactor } = useMe().person
  const { environment } = usePlace()
  const ofRole = useRoleRefusal(permission)
  if (ofRole !== undefined || hasSecondFactor || does === 'reads') return ofRole
  const first = 'Set up a second factor in your profile first'
  if (ofBusiness.has(permission)) return `${first}: it is asked for every change of the business as a whole.`
  return environment === 'production' ? `${first}: without one, production can only be read.` : undefined
}

const readings = new Set<Permission>([
  ...(['payments.see', 'balance.see', 'webhooks.see', 'requests.see', 'keys.list', 'settings.see'] as const),
  ...(['audit.all', 'audit.own', 'export'] as const),
])

/** Permissions that apply to both environments at once, so the rules of production apply to them. */
const ofBusiness = new Set<Permission>(['people.manage', 'settings.change', 'go-live'])

const deeds: Record<Permission, string> = {
  'payments.see': 'see payments',
  'balance.see': 'see balances',
  export: 'export',
  'customers.change': 'change customers and accounts',
  'payouts.propose': 'make payouts',
  'payouts.approve': 'approve payouts',
  'webhooks.see': 'see webhooks',
  'webhooks.change': 'change webhooks',
  'requests.see': 'see API requests',
  'keys.list': 'see keys',
  'keys.change': 'make or revoke keys',
  simulator: 'use the simulator',
  'people.manage': 'manage people',
  'settings.see': 'see settings',
  'settings.change': 'change settings',
  'alerts.change': 'set alerts',
  'audit.all': 'see the audit log',
  'audit.own': 'see the audit log',
  'go-live': 'go live',
  'payouts.pause': 'pause payouts',
  'receipts.share': 'share receipts',
}
