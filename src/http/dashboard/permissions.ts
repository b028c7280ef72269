// Who may do what: the one table by which the door judges and the screen shows what is not allowed. S means staging, P
// production, and 2 that production wants the second factor of a moment ago before it changes anything. What concerns a
// business as a whole (its people, its settings, its log) reaches production too, and is judged as production is.

import type { Environment } from '#base/context.ts'
import type { Role } from '#people/people.ts'

type Cell = 'SP' | 'SP2' | 'S' | '–'

type Row = { title: string; cells: Record<Role, Cell> }

const table = {
  'payments.see': row('See payments, deposits, customers and accounts', 'SP', 'SP', 'SP', 'SP', 'SP', 'SP'),
  'balance.see': row('See balance, statement and volume', 'SP', 'SP', 'S', 'SP', '–', 'SP'),
  export: row('Export', 'SP', 'SP', 'S', 'SP', '–', '–'),
  'customers.change': row('Create customers and accounts, close accounts', 'SP', 'SP', 'S', 'SP', 'SP', '–'),
  'payouts.propose': row('Send payouts, ask customers to pay', 'SP2', 'SP2', 'S', 'SP2', '–', '–'),
  'payouts.pause': row('Pause and resume payouts', 'SP2', 'SP2', '–', '–', '–', '–'),
  'webhooks.see': row('See, retry and test webhooks', 'SP', 'SP', 'SP', '–', 'SP', '–'),
  'webhooks.change': row('Create and change webhooks, rotate their secrets', 'SP2', 'SP2', 'SP2', '–', '–', '–'),
  'keys.list': row('See API keys', 'SP', 'SP', 'SP', '–', '–', '–'),
  'keys.change': row('Create, roll and revoke API keys', 'SP2', 'SP2', 'S', '–', '–', '–'),
  simulator: row('Use the simulator', 'S', 'S', 'S', 'S', 'S', '–'),
  'people.manage': row('Invite and remove people, change their roles', 'SP2', 'SP2', '–', '–', '–', '–'),
  'settings.see': row('See the settings of the business', 'SP', 'SP', '–', '–', '–', '–'),
  'settings.change': row('Change the settings of the business', 'SP2', '–', '–', '–', '–', '–'),
  'alerts.change': row('Set the low-balance alert', 'SP2', '–', '–', '–', '–', '–'),
  'audit.all': row('See the audit log of everybody', 'SP', 'SP', '–', '–', '–', '–'),
  'audit.own': row('See what they did themselves', 'SP', 'SP', 'SP', 'SP', 'SP', 'SP'),
  'go-live': row('Go live', 'SP2', '–', '–', '–', '–', '–'),
} as const satisfies Record<string, Row>

export type Permission = keyof typeof table

export type Verdict = 'yes' | 'step-up' | 'no'

export const permissions = Object.keys(table) as Permission[]

export function isPermission(name: string): name is Permission {
  return Object.hasOwn(table, name)
}

export function titleOf(permission: Permission): string {
  return table[permission].title
}

export function judge(permission: Permission, role: Role, environment: Environment): Verdict {
  const { cells }: Row = table[permission]
  const cell = cells[role]
  if (environment === 'staging') return cell === '–' ? 'no' : 'yes'
  if (cell === 'SP2') return 'step-up'
  return cell === 'SP' ? 'yes' : 'no'
}

/** In the order of the roles: owner, admin, developer, finance, support, viewer. */
function row(title: string, ...[owner, admin, developer, finance, support, viewer]: SixCells): Row {
  return { title, cells: { owner, admin, developer, finance, support, viewer } }
}

type SixCells = [Cell, Cell, Cell, Cell, Cell, Cell]
