// The addresses of all pages, below /dashboard and below a business's environment.

import type { World } from './world.ts'

export function pagesOutside(): string[] {
  return ['/sign-in', '/sign-in/code', '/welcome#none', '/invitation#none', '/forgotten', '/reset#none']
}

export function pagesInside(world: World): string[] {
  return [
    '',
    '/payments',
    '/payments?tab=momo-transfers',
    '/payments?tab=collections',
    '/payments?amountFrom=1,000',
    '/payments?status=REVERSED',
    `/payments/${world.succeeded}`,
    `/payments/${world.failed}`,
    `/payments/${world.open}`,
    '/payments/NO-SUCH',
    '/payouts/new',
    '/collect',
    '/recipients',
    '/recipients/import',
    '/upload',
    '/approvals',
    '/approvals?tab=mine',
    '/approvals?tab=scheduled',
    '/deposits',
    `/deposits/${world.deposit}`,
    '/customers',
    `/customers/${world.customer}`,
    '/accounts',
    `/accounts/${world.account}`,
    '/balance',
    '/webhooks',
    `/webhooks/${world.subscription}`,
    '/deliveries',
    `/deliveries/${world.delivery}`,
    '/requests',
    '/requests?status=4xx',
    '/requests/no-such-request',
    '/keys',
    '/simulator',
    '/audit',
    '/team',
    '/settings',
    '/profile',
    '/operations',
  ]
}
