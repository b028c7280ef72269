import type { Deposits } from '#deposits/deposits.ts'
import { depositData } from '#deposits/wire.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { depositNotFound, depositSchema, referenceRequired, requireReference } from './deposit-fields.ts'
import { readEndpoint } from './read-endpoints.ts'

export function depositGet(deposits: Deposits): Endpoint {
  return readEndpoint({
    operationId: 'getDeposit',
    path: '/v1/deposits/:reference',
    tag: 'Deposits',
    summary: 'One deposit, by its reference',
    description:
      'By the `reference` that the service gave it. Whether to fulfil an order, GET /v1/deposits/validate/{reference} tells.',
    emptyReference: true,
    params: referenceParams,
    data: depositSchema,
    async find(tenant, { reference }) {
      // Whoever asks for `validate` left out what to validate: no deposit has such a reference.
      if (reference === 'validate') throw referenceRequired()
      return deposits.read(tenant, requireReference(reference))
    },
    show: depositData,
    notFound: depositNotFound,
  })
}
