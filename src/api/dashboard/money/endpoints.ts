import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { operationsEndpoints } from '#api/dashboard/operations/operations.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { watchEndpoints, lowBalanceEndpoints } from './alerts.ts'
import { deliveryEndpoints } from './deliveries.ts'
import { exportEndpoint, receiptEndpoint } from './export.ts'
import { figuresEndpoint } from './figures.ts'
import { customersEndpoint, findEndpoint, searchEndpoint } from './search.ts'
import { statementEndpoint, storyEndpoint } from './statement.ts'

export function moneyEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  const { ctx, rooms } = parts
  const { insights, webhooks } = rooms
  return [
    figuresEndpoint(insights),
    ...watchEndpoints(parts),
    ...lowBalanceEndpoints(parts),
    findEndpoint(parts),
    customersEndpoint(parts),
    searchEndpoint(ctx),
    storyEndpoint(insights),
    statementEndpoint(ctx),
    exportEndpoint(parts),
    receiptEndpoint(parts),
    ...deliveryEndpoints(webhooks),
    ...operationsEndpoints(parts),
  ]
}
