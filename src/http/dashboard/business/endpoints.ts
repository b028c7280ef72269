// What concerns a business itself: its settings, keys, log and views, and going live.

import type { DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { settingsEndpoints } from './settings.ts'

export function businessEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [...settingsEndpoints(parts)]
}
