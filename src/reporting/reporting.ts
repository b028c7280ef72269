// The data about a business's money that the dashboard shows beyond the API. The API imports only this file of the
// module.

import type { Context, Tenant } from '#platform/context.ts'
import { readFigures, type Figures, type FiguresQuestion } from '#stats/read.ts'
import type { Payments } from '#payments/service.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Customer } from '#virtual-accounts/customers.ts'
import type { Webhooks } from '#webhooks/service.ts'
import { searchCustomers, searchRecords, type Hit, type SearchKey } from './search.ts'
import { findAlerts, type Alert, type AlertQuestion } from './alerts.ts'
import { createOverview, type Overview } from './overview.ts'
import { tellStory, type Story } from './story.ts'

export { queryLengthMax } from './search.ts'
export { shapeOf } from './search.ts'
export type { Hit } from './search.ts'
export type { Totals } from '#stats/read.ts'
export type { EndedSum } from '#stats/stats.ts'
export { watchFigures } from '#stats/stats.ts'
export { closeException } from '#review/review-queue.ts'
export { closeBreak } from '#reconciliation/mismatches.ts'
export type { Alert } from './alerts.ts'
export type { AlertAbout } from './alerts.ts'
export type { Overview } from './overview.ts'
export type { Story } from './story.ts'

export type Insights = {
  figures(tenant: Tenant, question: FiguresQuestion): Promise<Figures>
  find(tenant: Tenant, shape: SearchKey): Promise<Hit[]>
  customers(tenant: Tenant, shape: SearchKey): Promise<Customer[]>
  alerts(question: AlertQuestion): Promise<Alert[]>
  story(tenant: Tenant, reference: string): Promise<Story | undefined>
  overview(lanes: number[]): Promise<Overview>
}

export type InsightsOptions = {
  ctx: Context
  rails: RailRegistry
  kindOf: (rail: string) => string | undefined
  payments: Payments
  webhooks: Pick<Webhooks, 'log' | 'subscriptions'>
}

export function createInsights({ ctx, rails, kindOf, payments, webhooks }: InsightsOptions): Insights {
  const { log, subscriptions } = webhooks
  return {
    figures: (tenant, question) => readFigures(ctx, tenant, question),
    find: (tenant, shape) => searchRecords(ctx, tenant, shape),
    customers: (tenant, shape) => searchCustomers(ctx, tenant, shape),
    alerts: (question) => findAlerts({ ctx, rails, subscriptions }, question),
    story: (tenant, reference) => tellStory({ ctx, payments, log }, tenant, reference),
    overview: createOverview({ ctx, rails, kindOf }),
  }
}
