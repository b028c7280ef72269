// Whose a notice is. Provider and its own id name money once and for all, so one notice is one deposit of one tenant, also
// when it comes again with another tenant's account number, in another lane or another process. It is taken under the
// tenants' locks: two transactions that take the same one wait for each other in line (ARCHITECTURE.md).

import type { Tenant } from '#base/context.ts'
import type { Tx } from '#base/db.ts'
import type { Uuid } from '#base/ids.ts'
import { noticeSubject } from '#exceptions/exception.ts'
import type { NoticeCommand, OwnedNotice } from './command.ts'
import type { Deposit } from './deposit.ts'
import { findOpenNotices, findOwnersOfNotices, takeNotices } from './sql-notices.ts'

export type Heard = { tenant: Tenant; notice: OwnedNotice }

/** The tenants that notices belong to, by `noticeSubject`. */
export type NoticeOwners = Map<string, Uuid>

/** Takes what nobody has taken. Of several tenants that hear the same in one transaction, the first gets it. */
export async function takeFor(tx: Tx, heard: Heard[]): Promise<NoticeOwners> {
  if (heard.length === 0) return new Map()
  const firsts = new Map(heard.toReversed().map((one) => [subjectOf(one), one])).values()
  const wanted = [...firsts].map((one) => ({ ...nameOf(one), tenantId: one.tenant.id }))
  return ownersIn(await takeNotices(tx, wanted))
}

/** Who has what could not be taken. */
export async function findOwners(tx: Tx, heard: Heard[]): Promise<NoticeOwners> {
  return heard.length === 0 ? new Map() : ownersIn(await findOwnersOfNotices(tx, heard.map(nameOf)))
}

/** Which of them wait for a person, by `noticeSubject`. */
export async function findKept(tx: Tx, heard: NoticeCommand[]): Promise<Set<string>> {
  const told = heard.filter(({ simulated }) => simulated === undefined)
  const rows = told.length === 0 ? [] : await findOpenNotices(tx, told.map(nameOf))
  return new Set(rows.map((row) => noticeSubject(row.environment, row)))
}

export function subjectOf({ tenant, notice }: Heard): string {
  return noticeSubject(tenant.environment, notice)
}

/** A notice within its tenant. */
export function noticeText({
  tenantId,
  provider,
  providerId,
}: Pick<Deposit, 'tenantId' | 'provider' | 'providerId'>): string {
  return `${tenantId} ${provider} ${providerId}`
}

function nameOf({ tenant: { environment }, notice: { provider, providerId } }: Heard) {
  return { environment, provider, providerId }
}

function ownersIn(rows: (ReturnType<typeof nameOf> & { tenantId: Uuid })[]): NoticeOwners {
  return new Map(rows.map((row) => [noticeSubject(row.environment, row), row.tenantId]))
}
