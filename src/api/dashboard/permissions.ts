// The permissions of the dashboard's roles. admit.ts enforces this table, and the pages show by it what a user may not do.
// S means staging, P production, and 2 that a change in production needs a check of the second factor within the last 10
// minutes (`stepUpMs`, users/sessions.ts). Some endpoints demand this check themselves: `stepUp` and `requireStepUp`.
// Actions on a business as a whole (its users, settings and log) affect production too, so they follow the rules for
// production. users/user.ts decides which role may manage users of which other role.

import type { Environment } from '#platform/context.ts'
import type { UserRole } from '#users/service.ts'

type PermissionCell = 'SP' | 'SP2' | 'S' | '–'

type PermissionRow = { title: string; cells: Record<UserRole, PermissionCell> }

const table = {
  'payments.see': row('See payments, deposits, customers and accounts', 'SP', 'SP', 'SP', 'SP', 'SP', 'SP'),
  'balance.see': row('See balance, statement and volume', 'SP', 'SP', 'S', 'SP', '–', 'SP'),
  export: row('Export', 'SP', 'SP', 'S', 'SP', '–', '–'),
  'customers.change': row('Create customers and accounts, close accounts', 'SP', 'SP', 'S', 'SP', 'SP', '–'),
  'payouts.propose': row('Send payouts, ask customers to pay', 'SP2', 'SP2', 'S', 'SP2', '–', '–'),
  'payouts.approve': row('Approve payouts', 'SP2', 'SP2', '–', 'SP2', '–', '–'),
  'receipts.share': row('Share receipts by a link', 'SP', 'SP', 'S', 'SP', 'SP', '–'),
  'payouts.pause': row('Pause and resume payouts', 'SP2', 'SP2', '–', '–', '–', '–'),
  'webhooks.see': row('See, retry and test webhooks', 'SP', 'SP', 'SP', '–', 'SP', '–'),
  'webhooks.change': row('Create and change webhooks, rotate their secrets', 'SP2', 'SP2', 'SP2', '–', '–', '–'),
  'requests.see': row('See API requests', 'SP', 'SP', 'SP', '–', 'SP', '–'),
  'keys.list': row('See API keys', 'SP', 'SP', 'SP', '–', '–', '–'),
  'keys.change': row('Create, roll and revoke API keys', 'SP2', 'SP2', 'S', '–', '–', '–'),
  simulator: row('Use the simulator', 'S', 'S', 'S', 'S', 'S', '–'),
  'people.manage': row('Invite and remove people, change their roles', 'SP2', 'SP2', '–', '–', '–', '–'),
  'settings.see': row('See the settings of the business', 'SP', 'SP', '–', '–', '–', '–'),
  'settings.change': row('Change the settings of the business', 'SP2', '–', '–', '–', '–', '–'),
  'alerts.change': row('Set the low-balance alert', 'SP2', '–', '–', '–', '–', '–'),
  'audit.all': row('See the whole audit log', 'SP', 'SP', '–', '–', '–', '–'),
  'audit.own': row('See what they did themselves', 'SP', 'SP', 'SP', 'SP', 'SP', 'SP'),
  'go-live': row('Go live', 'SP2', '–', '–', '–', '–', '–'),
} as const satisfies Record<string, PermissionRow>

export type Permission = keyof typeof table

export type Verdict = 'yes' | 'step-up' | 'no'

export const permissions = Object.keys(table) as Permission[]

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(table, name)
}

export function titleOf(permission: Permission): string {
  return table[permission].title
}

export function judge(permission: Permission, role: UserRole, environment: Environment): Verdict {
  const { cells }: PermissionRow = table[permission]
  const cell = cells[role]
  if (environment === 'staging') return cell === '–' ? 'no' : 'yes'
  if (cell === 'SP2') return 'step-up'
  return cell === 'SP' ? 'yes' : 'no'
}

function row(title: string, ...[owner, admin, developer, finance, support, viewer]: SixCells): PermissionRow {
  return { title, cells: { owner, admin, developer, finance, support, viewer } }
}

type SixCells = [PermissionCell, PermissionCell, PermissionCell, PermissionCell, PermissionCell, PermissionCell]
