// The sections of the navigation, in their order. Pressing `g` and then a section's letter opens the section.

import type { Place } from '#api/client.ts'
import type { Permission } from '#api/me.ts'
import type { IconName } from '#ui/icons.tsx'
import { paths } from './paths.ts'

export type Section = {
  name: string
  icon: IconName
  letter?: string
  path: (place: Place) => string
  permission?: Permission
  isOfStaging?: boolean
  isOfProduction?: boolean
  isForOperators?: boolean
}

export type SectionGroup = { heading?: string; sections: Section[] }

export const sectionGroups: SectionGroup[] = [
  {
    sections: [
      { name: 'Home', icon: 'home', letter: 'h', path: paths.home },
      { name: 'Payments', icon: 'arrowOut', letter: 'p', path: paths.payments, permission: 'payments.see' },
      { name: 'Approvals', icon: 'check', letter: 'a', path: paths.approvals, permission: 'payments.see' },
      { name: 'Recipients', icon: 'user', letter: 'r', path: paths.recipients, permission: 'payments.see' },
      { name: 'Deposits', icon: 'arrowIn', letter: 'd', path: paths.deposits, permission: 'payments.see' },
      { name: 'Customers', icon: 'users', letter: 'c', path: paths.customers, permission: 'payments.see' },
      { name: 'Virtual accounts', icon: 'bank', letter: 'v', path: paths.accounts, permission: 'payments.see' },
      { name: 'Balance', icon: 'book', letter: 'b', path: paths.balance, permission: 'balance.see' },
    ],
  },
  {
    heading: 'Developers',
    sections: [
      { name: 'Webhooks', icon: 'webhook', letter: 'w', path: paths.webhooks, permission: 'webhooks.see' },
      { name: 'Deliveries', icon: 'send', path: paths.deliveries, permission: 'webhooks.see' },
      { name: 'Requests', icon: 'list', path: paths.requests, permission: 'requests.see' },
      { name: 'API keys', icon: 'key', letter: 'k', path: paths.keys, permission: 'keys.list' },
      { name: 'Simulator', icon: 'tool', path: paths.simulator, permission: 'simulator', isOfStaging: true },
    ],
  },
  {
    heading: 'Business',
    sections: [
      { name: 'Team', icon: 'user', path: paths.team },
      { name: 'Audit log', icon: 'list', path: paths.audit },
      { name: 'Settings', icon: 'settings', path: paths.settings },
      { name: 'Go live', icon: 'flag', path: paths.goLive, permission: 'go-live', isOfProduction: true },
      { name: 'Operations', icon: 'activity', path: paths.operations, isForOperators: true },
    ],
  },
]
