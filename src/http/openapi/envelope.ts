// The one shape of every answer, as the API description shows it.

import { z } from 'zod'
import { errorDetail, record, timeData } from '#http/fields.ts'
import type { Json } from './schemas.ts'

export const errorSchema = record('Error', {
  success: z.literal(false),
  error: errorDetail,
  requestId: z.string().describe('Quote it when you report a problem.'),
  timestamp: timeData,
})

const integer = { type: 'integer', minimum: 0 }
const boolean = { type: 'boolean' }
const places = { page: integer, limit: integer, total: integer, totalPage: integer, hasNext: boolean, hasPrev: boolean }

export const paginationSchema: Json = { type: 'object', properties: places, required: Object.keys(places) }

export function successSchema(data: Json, paginated: boolean): Json {
  const meta = {
    type: 'object',
    properties: { pagination: { $ref: '#/components/schemas/Pagination' } },
    required: ['pagination'],
  }
  const properties = {
    success: { type: 'boolean', const: true },
    data,
    ...(paginated ? { meta } : {}),
    requestId: { type: 'string' },
  }
  return { type: 'object', properties, required: Object.keys(properties) }
}

/** Whatever the example is of. */
const requestId = '7c3f1f0e-5a52-4b8e-9f0c-2f8f1c9be2a4'

export function successExample(data: Json, pagination: Json | undefined): Json {
  return { success: true, data, ...(pagination === undefined ? {} : { meta: { pagination } }), requestId }
}

export function errorExample(error: Json): Json {
  return { success: false, error, requestId, timestamp: '2026-01-15T09:30:00.000Z' }
}
