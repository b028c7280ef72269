import type { Deposits } from '#deposits/deposits.ts'
import { depositData } from '#deposits/wire.ts'
import { endpoint, type Endpoint } from '#http/endpoint.ts'
import { referenceParams } from '#http/fields.ts'
import { depositNotFound, depositSchema, referenceRequired, requireReference } from './deposit-fields.ts'

export function depositGet(deposits: Deposits): Endpoint {
  return endpoint({
    operationId: 'getDeposit',
    method: 'GET',
    path: '/v1/deposits/:reference',
    scope: 'read',
    tag: 'Deposits',
    summary: 'One deposit, by its reference',
    description:
      'By the `reference` that the service gave it. Whether to fulfil an order, GET /v1/deposits/validate/{reference} tells.',
    emptyReference: true,
    params: referenceParams,
    data: depositSchema,
    errors: ['NOT_FOUND'],
    handle: async ({ caller, params }) => {
      // Whoever asks for `validate` left out what to validate: no deposit has such a reference.
      if (params.reference === 'validate') throw referenceRequired()
      const deposit = await deposits.read(caller.tenant, requireReference(params.reference))
      if (deposit === undefined) throw depositNotFound()
      return { data: depositData(deposit) }
    },
  })
}
