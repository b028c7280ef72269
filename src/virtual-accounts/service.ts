// The virtual accounts service: opens accounts at a rail, reads, lists, closes and expires them, and releases the numbers of
// abandoned openings.

import type { Tenant } from '#platform/context.ts'
import { inLane } from '#platform/db/db.ts'
import type { Writer } from '#platform/db/lane.ts'
import type { SecretBox } from '#platform/secrets.ts'
import type { RailBank } from '#rails/rail.ts'
import { railReferenceOf } from '#rails/formats.ts'
import { requirePort, requireRail, type RailRegistry } from '#rails/registry.ts'
import type { VirtualAccount, OpeningOutcome } from './account.ts'
import { listAccounts, type VirtualAccountPage, type AccountsQuestion } from './list.ts'
import {
  railDown,
  openDynamic,
  openStatic,
  type DynamicRequest,
  type Opener,
  type StaticRequest,
  releaseOpenings,
} from './provisioning.ts'
import { beginOpeningsOperation, openAccountsOperation } from './provisioning-steps.ts'
import { closeAccount, expireAccounts, findAccounts } from './queries.ts'

export type AccountCloseOutcome =
  | { kind: 'closed'; account: VirtualAccount }
  | { kind: 'not-static' }
  | { kind: 'not-found' }

export type Accounts = {
  openStatic(tenant: Tenant, request: StaticRequest): Promise<OpeningOutcome>
  openDynamic(tenant: Tenant, request: DynamicRequest): Promise<OpeningOutcome>
  read(tenant: Tenant, accountNumber: string): Promise<VirtualAccount | undefined>
  list(tenant: Tenant, question: AccountsQuestion): Promise<VirtualAccountPage>
  close(tenant: Tenant, accountNumber: string): Promise<AccountCloseOutcome>
  expire(lane: number): Promise<number>
  releaseNumbers(lane: number): Promise<number>
}

export type VirtualAccountsOptions = Writer & {
  rails: RailRegistry
  box: SecretBox
  findBank: (slug: string) => RailBank | undefined
}

const expiriesMax = 512

export function createAccounts({ ctx, rails, laneOf, box, findBank }: VirtualAccountsOptions): Accounts {
  const what = 'Virtual accounts'
  const railFor: Opener['railFor'] = ({ environment }, type) =>
    requireRail(rails.virtualAccounts(environment, { accounts: type }), what)
  const portOf: Opener['portOf'] = ({ environment }, { rail, type }) =>
    requirePort(rails.virtualAccounts(environment, rail === '' ? { accounts: type } : { rail }), what)
  const [beginning, opening] = [beginOpeningsOperation(ctx), openAccountsOperation(ctx)]
  const opener: Opener = { ctx, laneOf, beginning, opening, railFor, portOf, box, findBank }
  const read: Accounts['read'] = async (tenant, accountNumber) =>
    (await findAccounts(inLane(ctx.db, tenant.lane), [{ tenantId: tenant.id, accountNumber }]))[0]

  return {
    openStatic: (tenant, request) => openStatic(opener, tenant, request),
    openDynamic: (tenant, request) => openDynamic(opener, tenant, request),
    read,
    list: (tenant, question) => listAccounts(ctx, tenant, question),
    async close(tenant, accountNumber) {
      const account = await read(tenant, accountNumber)
      if (account === undefined) return { kind: 'not-found' }
      if (account.type !== 'static') return { kind: 'not-static' }
      if (account.status === 'CLOSED') return { kind: 'closed', account }
      // The rail closes first: if the process dies in between, the account is still open here and the caller closes
      // it again.
      const { id, handle } = account
      const answer = await portOf(tenant, account).close({ railReference: railReferenceOf(id), accountNumber, handle })
      if (answer.kind === 'unavailable') throw railDown(answer.detail)
      return { kind: 'closed', account: await closeAccount(ctx.db, tenant, account, new Date(ctx.clock.now())) }
    },
    expire: (lane) => expireAccounts(inLane(ctx.db, lane), new Date(ctx.clock.now()), expiriesMax),
    releaseNumbers: (lane) => releaseOpenings(opener, lane),
  }
}
