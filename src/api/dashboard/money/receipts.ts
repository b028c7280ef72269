// The receipt of a payout that succeeded, as a PDF.

import { z } from 'zod'
import type { EndpointParts } from '#api/dashboard/dashboard.ts'
import { dashboardEndpoint, type DashboardEndpoint } from '#api/dashboard/endpoint.ts'
import { receiptPdf } from '#api/dashboard/pdf/receipt.ts'
import { readSettings } from '#businesses/settings.ts'
import { ApiError } from '#platform/errors.ts'
import { pdfType } from './export.ts'

export function receiptEndpoint({ ctx, rooms: { payments } }: EndpointParts): DashboardEndpoint {
  return dashboardEndpoint({
    method: 'GET',
    path: '/dashboard/api/b/:business/:environment/payments/:reference/receipt',
    permission: 'payments.see',
    params: z.object({ reference: z.string() }),
    handle: async ({ business, tenant, params: { reference } }) => {
      const payment =
        (await payments.read(tenant, 'bank_transfer', reference)) ??
        (await payments.read(tenant, 'momo_transfer', reference))
      if (payment === undefined) throw new ApiError('NOT_FOUND', 'There is no payout with this reference.')
      if (payment.status !== 'SUCCESS') throw new ApiError('CONFLICT', 'Only a payout that succeeded has a receipt.')
      const [settings] = await readSettings(ctx, [business])
      const { environment } = tenant
      const pieces = receiptPdf({ payment, business: settings?.name ?? '', environment })
      return { data: {}, download: { name: `receipt-${payment.reference}.pdf`, type: pdfType, pieces } }
    },
  })
}
