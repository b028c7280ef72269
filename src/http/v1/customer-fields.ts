// What a customer looks like in requests and answers: stated once for the endpoints that take or show one.

import { z } from 'zod'
import { ApiError } from '#base/error.ts'
import { customerStatuses } from '#customers/customer.ts'
import { parsePhoneNumber } from '#directory/phone.ts'
import { metadata, record, text, timeData } from '#http/fields.ts'

const nameLengthMax = 100
const emailLengthMax = 254
const phoneSentence = 'must be a phone number: 08030000000 or +2348030000000'

/** Nigerian numbers in any form; others as E.164. Stored and shown as E.164. */
const phoneNumber = z
  .string('must be a string')
  .transform((value, context) => {
    const parsed = parsePhoneNumber(value) ?? (/^\+[1-9]\d{7,14}$/.test(value) ? value : undefined)
    if (parsed !== undefined) return parsed
    context.addIssue({ code: 'custom', message: phoneSentence })
    return z.NEVER
  })
  .meta({ description: 'Shown as +2348030000000.' })

export const customerFields = {
  firstName: text(nameLengthMax),
  lastName: text(nameLengthMax),
  email: z
    .email('must be an email address')
    .max(emailLengthMax, `must have at most ${emailLengthMax} characters`)
    .nullish(),
  phoneNumber: phoneNumber.nullish(),
  bvn: z
    .string('must be a string of 11 digits')
    .regex(/^\d{11}$/, 'must be the 11 digits of the BVN')
    .nullish()
    .meta({ description: 'Stored encrypted; no answer shows it.' }),
  metadata: metadata.nullish(),
}

export const customerSchema = record('Customer', {
  id: z.string().describe('cus_…'),
  reference: z.string(),
  firstName: z.string(),
  lastName: z.string(),
  email: z.string().nullable(),
  phoneNumber: z.string().nullable(),
  status: z
    .enum(customerStatuses)
    .describe('ERASED: who it was is forgotten, at the wish of that person. Names say `erased`, the rest is null.'),
  bvnVerified: z.boolean().describe('Always false for now: a BVN is stored and checked by nobody.'),
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
