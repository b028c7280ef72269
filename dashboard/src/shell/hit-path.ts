// The address of a search result.

import type { Place } from '#api/client.ts'
import type { Hit } from '#api/finder.ts'
import { paths } from './paths.ts'

export function pathOfHit({ kind, reference }: Pick<Hit, 'kind' | 'reference'>, place: Place): string {
  switch (kind) {
    case 'transfer':
    case 'momo-transfer':
    case 'collection':
      return paths.payment(place, reference)
    case 'deposit':
      return paths.deposit(place, reference)
    case 'customer':
      return paths.customer(place, reference)
    case 'account':
      return paths.account(place, reference)
    case 'event':
      return paths.delivery(place, reference)
    case 'key':
      return paths.keys(place)
    case 'subscription':
      return paths.webhook(place, reference)
    case 'recipient':
      return paths.recipients(place)
    case 'request':
      return paths.request(place, reference)
  }
}
