// What a business's people choose for it as a whole, and further businesses of an owner.

import { z } from 'zod'
import { formatId } from '#base/ids.ts'
import { present } from '#base/assert.ts'
import { changeSettings, isTimeZone, readSettings, type BusinessSettings } from '#businesses/settings.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#http/dashboard/endpoint.ts'
import type { EndpointParts } from '#http/dashboard/routes.ts'
import { text } from '#http/fields.ts'

const timeZone = z.string('must be a string').refine(isTimeZone, 'must be the zone of a place, such as Africa/Lagos')

export function settingsEndpoints({ ctx }: Pick<EndpointParts, 'ctx'>): DashboardEndpoint[] {
  return [
    dashboardEndpoint({
      method: 'GET',
      path: '/dashboard/api/b/:business/settings',
      permission: 'settings.see',
      handle: async ({ business }) => {
        const [settings] = await readSettings(ctx, [business])
        return { data: shown(present(settings, 'whoever looks is of the business')) }
      },
    }),
    dashboardEndpoint({
      method: 'PATCH',
      path: '/dashboard/api/b/:business/settings',
      permission: 'settings.change',
      body: z.object({
        name: text(100).optional(),
        timeZone: timeZone.optional(),
        isCompulsoryFactor: z.boolean('must be true or false').optional(),
      }),
      handle: async ({ business, body, by }) => ({
        data: shown(await changeSettings({ ...ctx, by: by() }, business, body)),
      }),
    }),
  ]
}

function shown({ id, name, timeZone: zone, isCompulsoryFactor }: BusinessSettings): Record<string, unknown> {
  return { id: formatId('business', id), name, timeZone: zone, isCompulsoryFactor }
}
