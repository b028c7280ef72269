import { z } from 'zod'
import { listBanks, type Bank } from '#directory/banks.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { record, text } from '#http/fields.ts'

const bank = record('Bank', {
  name: z.string(),
  slug: z.string().describe('Names the bank in transfers. Unique and stable.'),
  code: z.string().describe('Not unique; use the slug where you can.'),
  nipCode: z.string().nullable().describe('Of the institution on NIP; null where it is not known.'),
  type: z.string(),
  country: z.literal('NG'),
  currency: z.literal('NGN'),
  active: z.boolean(),
})

const searchLengthMax = 100

export function banksList(): Endpoint {
  return endpoint({
    operationId: 'listBanks',
    method: 'GET',
    path: '/v1/banks',
    scope: 'any',
    tag: 'Banks',
    summary: 'All banks, by name',
    description:
      'The whole list in one answer. A bank is also found by its codes and by what people call it: `gtb`, `uba`, `058`. Transfers take the `slug`.',
    query: z.object({
      search: text(searchLengthMax, 0).optional().describe('Keeps the banks whose name holds every word of it.'),
    }),
    data: z.object({ banks: z.array(bank) }),
    handle: ({ query }) => Promise.resolve({ data: { banks: listBanks(query).map(bankData) } }),
  })
}

/** Without what only adapters of rails need to know. */
function bankData({ name, slug, code, nipCode, type, country, currency, active }: Bank) {
  return { name, slug, code, nipCode, type, country, currency, active }
}
