// What people see of a business's money beyond what the API shows to programs, as the door sees it.

import type { Context, Tenant } from '#base/context.ts'
import { readFigures, type Figures, type FiguresQuestion } from '#figures/read.ts'
import { find, type Hit } from '#finder/find.ts'
import type { Shape } from '#finder/shape.ts'
import type { Payments } from '#payments/payments.ts'
import type { RailRegistry } from '#rails/registry.ts'
import type { Webhooks } from '#webhooks/webhooks.ts'
import { findAlerts, type Alert, type AlertQuestion } from './alerts.ts'
import { createOverview, type Overview } from './overview.ts'
import { tellStory, type Story } from './story.ts'

/** For the doors, which know this room alone. */
export { queryLengthMax, shapeOf } from '#finder/shape.ts'
export type { Hit } from '#finder/find.ts'
export type { Totals } from '#figures/read.ts'
export { watchFigures } from '#figures/watch.ts'
export { closeException } from '#exceptions/exceptions.ts'
export { closeBreak } from '#reconcile/breaks.ts'
export type { Alert, AlertAbout } from './alerts.ts'
export type { Overview } from './overview.ts'
export type { Story } from './story.ts'

export type Insights = {
  figures(tenant: Tenant, question: FiguresQuestion): Promise<Figures>
  /** The latest first. */
  find(tenant: Tenant, shape: Shape): Promise<Hit[]>
  alerts(question: AlertQuestion): Promise<Alert[]>
  story(tenant: Tenant, reference: string): Promise<Story | undefined>
  /** Of the installation, for who looks after it. */
  overview(): Promise<Overview>
}

export type InsightsOptions = {
  ctx: Context
  rails: RailRegistry
  /** What kind of provider is behind a rail of RAILS_FILE. */
  kindOf: (rail: string) => string | undefined
  payments: Payments
  webhooks: Pick<Webhooks, 'log' | 'subscriptions'>
}

export function createInsights({ ctx, rails, kindOf, payments, webhooks }: InsightsOptions): Insights {
  const { log, subscriptions } = webhooks
  return {
    figures: (tenant, question) => readFigures(ctx, tenant, question),
    find: (tenant, shape) => find(ctx, tenant, shape),
    alerts: (question) => findAlerts({ ctx, rails, subscriptions }, question),
    story: (tenant, reference) => tellStory({ ctx, payments, log }, tenant, reference),
    overview: createOverview({ ctx, rails, kindOf }),
  }
}
