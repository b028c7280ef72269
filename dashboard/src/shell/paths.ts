// Every address of the dashboard is made here. Each contains a business and an environment, so a link shows the same to everybody.

import type { Environment, Place } from '#api/client.ts'

function at({ businessId, environment }: Place, ...parts: string[]): string {
  return ['/b', businessId, environment, ...parts]
    .map((part, index) => (index === 0 ? part : encodeURIComponent(part)))
    .join('/')
}

export const paths = {
  signIn: '/sign-in',
  code: '/sign-in/code',
  home: (place: Place) => at(place),
  payments: (place: Place) => at(place, 'payments'),
  newPayout: (place: Place) => at(place, 'payouts', 'new'),
  newCollection: (place: Place) => at(place, 'collect'),
  approvals: (place: Place) => at(place, 'approvals'),
  draft: (place: Place, id: string) => at(place, 'approvals', id),
  recipients: (place: Place) => at(place, 'recipients'),
  importRecipients: (place: Place) => at(place, 'recipients', 'import'),
  upload: (place: Place) => at(place, 'upload'),
  payment: (place: Place, reference: string) => at(place, 'payments', reference),
  deposits: (place: Place) => at(place, 'deposits'),
  deposit: (place: Place, reference: string) => at(place, 'deposits', reference),
  customers: (place: Place) => at(place, 'customers'),
  customer: (place: Place, reference: string) => at(place, 'customers', reference),
  accounts: (place: Place) => at(place, 'accounts'),
  account: (place: Place, number: string) => at(place, 'accounts', number),
  balance: (place: Place) => at(place, 'balance'),
  webhooks: (place: Place) => at(place, 'webhooks'),
  webhook: (place: Place, id: string) => at(place, 'webhooks', id),
  deliveries: (place: Place) => at(place, 'deliveries'),
  delivery: (place: Place, id: string) => at(place, 'deliveries', id),
  keys: (place: Place) => at(place, 'keys'),
  requests: (place: Place) => at(place, 'requests'),
  request: (place: Place, requestId: string) => at(place, 'requests', requestId),
  simulator: (place: Place) => at({ ...place, environment: 'staging' }, 'simulator'),
  audit: (place: Place) => at(place, 'audit'),
  team: (place: Place) => at(place, 'team'),
  settings: (place: Place) => at(place, 'settings'),
  profile: (place: Place) => at(place, 'profile'),
  goLive: (place: Place) => at(place, 'go-live'),
  operations: (place: Place) => at(place, 'operations'),
}

/**
 * The same page in another environment or business: the section stays, and the record, which is not there, is dropped.
 * The simulator exists on staging only.
 */
export function movePath(path: string, to: Partial<Place>): string {
  const [, , businessId = '', environment = 'staging', section] = path.split('/')
  const place = { businessId, environment: environment as Environment, ...to }
  if (section === undefined || (section === 'simulator' && place.environment === 'production')) return at(place)
  return section === 'payouts' ? paths.newPayout(place) : at(place, section)
}
