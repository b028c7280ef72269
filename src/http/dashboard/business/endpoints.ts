// What concerns a business itself: its settings, keys, log and views, and going live.

import type { DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { auditEndpoints } from './audit.ts'
import { createBusinessEndpoint } from './create.ts'
import { goLiveEndpoints } from './go-live.ts'
import { keyEndpoints } from './keys.ts'
import { settingsEndpoints } from './settings.ts'
import { viewEndpoints } from './views.ts'

export function businessEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [
    createBusinessEndpoint(parts),
    ...settingsEndpoints(parts),
    ...keyEndpoints(parts),
    ...auditEndpoints(parts),
    ...viewEndpoints(parts),
    ...goLiveEndpoints(parts),
  ]
}
