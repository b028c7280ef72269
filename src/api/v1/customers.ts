// The endpoints for customers, and the fields of a customer in requests and responses.

import { z } from 'zod'
import { endpoint, type Endpoint } from '#api/server/endpoint.ts'
import {
  metadata,
  record,
  text,
  timeData,
  reference,
  referenceParams,
  limitParameter,
  pageParameter,
  coded,
} from '#api/server/fields.ts'
import { parsePhoneNumber, phoneForm } from '#directory/operators.ts'
import { ApiError } from '#platform/errors.ts'
import { type Customers, customerStatuses } from '#virtual-accounts/customers.ts'
import { customerData } from '#virtual-accounts/account.ts'
import { readEndpoint, listEndpoint } from './payments.ts'

const nameLengthMax = 100
const emailLengthMax = 254
const phoneSentence = 'must be a phone number: 08030000000 or +2348030000000'

const e164 = /^\+[1-9]\d{7,14}$/

/** Accepts Nigerian numbers in any usual form and others as E.164. Stored and shown as E.164. */
const customerPhone = z
  .string('must be a string')
  .regex(new RegExp(`${phoneForm.source}|${e164.source}`), phoneSentence)
  .transform((value, context) => {
    const parsed = parsePhoneNumber(value) ?? (e164.test(value) ? value : undefined)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', ...coded(phoneSentence, 'wrong_format') })
    return z.NEVER
  })
  .meta({ description: '08030000000, or with the country code +2348030000000. Responses show the second form.' })

const customerFields = {
  firstName: text(nameLengthMax),
  lastName: text(nameLengthMax),
  email: z
    .email('must be an email address')
    .max(emailLengthMax, `must have at most ${emailLengthMax} characters`)
    .nullish(),
  phoneNumber: customerPhone.nullish(),
  bvn: z
    .string('must be a string of 11 digits')
    .regex(/^\d{11}$/, 'must be the 11 digits of the BVN')
    .nullish()
    .meta({ description: 'The Bank Verification Number. It is stored encrypted, and no response shows it.' }),
  metadata: metadata.nullish(),
}

const customerSchema = record('Customer', {
  id: z.string().describe('cus_…'),
  reference: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  status: z
    .enum(customerStatuses)
    .describe('ERASED: the personal data was erased. The names are `erased`, the other personal fields are null.'),
  bvnVerified: z.boolean().describe('Always false for now, because a BVN is stored but not checked.'),
  metadata: z.record(z.string(), z.string()).nullable(),
  createdAt: timeData,
  updatedAt: timeData,
})

export function customerErased(): ApiError {
  return new ApiError('CONFLICT', 'This customer has been erased')
}

export function customerNotFound(): ApiError {
  return new ApiError('NOT_FOUND', 'Customer not found')
}

export function customersCreate(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'createCustomer',
    method: 'POST',
    path: '/v1/customers',
    scope: 'collect',
    tag: 'Customers',
    summary: 'Create a customer',
    description: 'Not idempotent: a reference that is in use is refused with 409.',
    body: z.object({ reference, ...customerFields }),
    data: customerSchema,
    errors: ['CONFLICT'],
    handle: async ({ caller: { tenant }, body }) => {
      const { firstName, lastName, email = null, phoneNumber = null, bvn = null } = body
      const metadataJson = body.metadata === undefined || body.metadata === null ? null : JSON.stringify(body.metadata)
      const details = { firstName, lastName, email, phoneNumber, metadata: metadataJson }
      const outcome = await customers.create({ tenant, reference: body.reference, details, bvn })
      if (outcome.kind === 'created') return { data: customerData(outcome.customer) }
      throw new ApiError('CONFLICT', 'A customer with this reference already exists', {
        details: [{ field: 'reference', message: 'reference belongs to another customer', code: 'in_use' }],
      })
    },
  })
}

export function customerGet(customers: Customers): Endpoint {
  return readEndpoint({
    operationId: 'getCustomer',
    path: '/v1/customers/:reference',
    tag: 'Customers',
    summary: 'One customer, by its reference',
    description: 'Finds the customer by your reference.',
    params: referenceParams,
    data: customerSchema,
    find: (tenant, { reference: wanted }) => customers.read(tenant, wanted),
    show: customerData,
    notFound: customerNotFound,
  })
}

const { firstName: newFirstName, lastName: newLastName, ...optional } = customerFields

export function customerUpdate(customers: Customers): Endpoint {
  return endpoint({
    operationId: 'updateCustomer',
    method: 'PATCH',
    path: '/v1/customers/:reference',
    scope: 'collect',
    tag: 'Customers',
    summary: 'Change the data of a customer',
    description:
      'Fields that you leave out stay unchanged; null clears an optional field. The reference cannot be changed. An erased customer cannot be changed: the answer is 409.',
    params: referenceParams,
    body: z.object({ firstName: newFirstName.optional(), lastName: newLastName.optional(), ...optional }),
    data: customerSchema,
    errors: ['NOT_FOUND', 'CONFLICT'],
    handle: async ({ caller, params, body }) => {
      const { metadata: newMetadata } = body
      const metadataJson = newMetadata === undefined || newMetadata === null ? newMetadata : JSON.stringify(newMetadata)
      const outcome = await customers.correct(caller.tenant, params.reference, { ...body, metadata: metadataJson })
      switch (outcome.kind) {
        case 'corrected':
          return { data: customerData(outcome.customer) }
        case 'erased':
          throw customerErased()
        case 'not-found':
          throw customerNotFound()
      }
    },
  })
}

export function customersList(customers: Customers): Endpoint {
  return listEndpoint({
    operationId: 'listCustomers',
    path: '/v1/customers',
    tag: 'Customers',
    summary: 'All customers, the latest first',
    description: 'A page has 20 customers unless `limit` says otherwise.',
    query: z.object({ page: pageParameter, limit: limitParameter }),
    name: 'customers',
    item: customerSchema,
    list: async (tenant, question) => {
      const found = await customers.list(tenant, question)
      return { items: found.customers.map(customerData), total: found.total }
    },
  })
}
