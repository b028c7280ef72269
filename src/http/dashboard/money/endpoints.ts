// What people see of money, on one screen.

import type { DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import { operationsEndpoints } from '#http/dashboard/operations/operations.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { watchEndpoints } from './alerts.ts'
import { deliveryEndpoints } from './deliveries.ts'
import { exportEndpoint } from './export.ts'
import { figuresEndpoint } from './figures.ts'
import { findEndpoint } from './find.ts'
import { lowBalanceEndpoints } from './low-balance.ts'
import { searchEndpoint } from './search.ts'
import { statementEndpoint } from './statement.ts'
import { storyEndpoint } from './story.ts'

export function moneyEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { insights, webhooks } = rooms
  return [
    figuresEndpoint(insights),
    ...watchEndpoints(parts),
    ...lowBalanceEndpoints(parts),
    findEndpoint(parts),
    searchEndpoint(ctx),
    storyEndpoint(insights),
    statementEndpoint(ctx),
    exportEndpoint(parts),
    ...deliveryEndpoints(webhooks),
    ...operationsEndpoints(parts),
  ]
}
