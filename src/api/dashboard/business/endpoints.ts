// The endpoints for a business itself: settings, keys, audit log, saved views, and going live.

import type { DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { auditEndpoints } from './audit.ts'
import { createBusinessEndpoint, currencyEndpoints, settingsEndpoints, viewEndpoints } from './settings.ts'
import { goLiveEndpoints } from './go-live.ts'
import { keyEndpoints } from './keys.ts'
import { requestEndpoints } from './requests.ts'

export function businessEndpoints(parts: EndpointParts): DashboardEndpoint[] {
  return [
    createBusinessEndpoint(parts),
    ...settingsEndpoints(parts),
    ...currencyEndpoints(parts),
    ...keyEndpoints(parts),
    ...requestEndpoints(parts),
    ...auditEndpoints(parts),
    ...viewEndpoints(parts),
    ...goLiveEndpoints(parts),
  ]
}
