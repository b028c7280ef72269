// What an operation answers when it refuses: each status with its codes, and for each code an example that is true.

import { errorStatus, type ErrorCode, type FieldError } from '#base/error.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { check, validationError } from '#http/validate.ts'
import { errorExample, errorSchema } from './envelope.ts'
import type { Example, Refusal } from './example.ts'
import { commonRefusals, simulatorInProduction } from './examples/refusals.ts'
import { headersWith } from './headers.ts'
import type { Json, Schemas } from './schemas.ts'

/** Every endpoint behind a key can answer with these. */
const commonErrors: ErrorCode[] = [
  'UNAUTHORIZED',
  'FORBIDDEN',
  'UNSUPPORTED_API_VERSION',
  'VALIDATION_ERROR',
  'RATE_LIMIT_EXCEEDED',
  'INTERNAL_ERROR',
  'SERVICE_UNAVAILABLE',
]
const bodyErrors: ErrorCode[] = ['PARSE_ERROR', 'PAYLOAD_TOO_LARGE']

export type Failures = {
  of(endpoint: Endpoint, example: Example | undefined): Json
  /** What several operations answer alike, as far as it was referred to. */
  components(): { responses: Json; examples: Json }
}

export function createFailures(schemas: Schemas): Failures {
  const responses: Json = {}
  const examples: Json = {}
  const schema = schemas.of(errorSchema, 'output')

  /** Of a refusal in words of its own; else a reference to the one that is common. */
  function exampleOf(code: ErrorCode, own: Refusal | undefined): Json {
    if (own !== undefined) return { value: errorExample({ code, ...own }) }
    const { [code]: common }: Partial<Record<ErrorCode, Refusal>> = commonRefusals
    if (common === undefined) return {}
    examples[code] = { value: errorExample({ code, ...common }) }
    return { $ref: `#/components/examples/${code}` }
  }

  function response(codes: ErrorCode[], own: Partial<Record<ErrorCode, Refusal>>): Json {
    const shown = codes.map((code): [string, Json] => [code, exampleOf(code, own[code])])
    return {
      description: codes.map((code) => `\`${code}\``).join(', '),
      headers: codes.some(isWorthRetrying) ? headersWith('Retry-After') : headersWith(),
      content: { 'application/json': { schema, examples: Object.fromEntries(shown) } },
    }
  }

  return {
    of(endpoint, example) {
      const elsewhere = endpoint.stagingOnly ? { FORBIDDEN: simulatorInProduction } : {}
      const own = { ...elsewhere, ...plainestMistake(endpoint), ...example?.refusals }
      const answers = [...codesByStatus(endpoint)].map(([status, codes]): [string, Json] => {
        if (codes.some((code) => Object.hasOwn(own, code))) return [String(status), response(codes, own)]
        const name = codes.join('.')
        responses[name] ??= response(codes, own)
        return [String(status), { $ref: `#/components/responses/${name}` }]
      })
      return Object.fromEntries(answers)
    },
    components: () => ({ responses, examples }),
  }
}

function codesByStatus(endpoint: Endpoint): Map<number, ErrorCode[]> {
  const codes = [...endpoint.errors, ...commonErrors, ...(endpoint.body === undefined ? [] : bodyErrors)]
  return Map.groupBy(codes, (code) => errorStatus[code])
}

function isWorthRetrying(code: ErrorCode): boolean {
  return code === 'RATE_LIMIT_EXCEEDED' || code === 'SERVICE_UNAVAILABLE'
}

/** What the endpoint's own checks say when nothing is sent, or a page that no list has. */
function plainestMistake({ body, query }: Endpoint): Example['refusals'] {
  const details: FieldError[] = []
  check(query, {}, 'query', details)
  if (body !== undefined) check(body, {}, 'body', details)
  if (details.length === 0) check(query, { page: '0' }, 'query', details)
  return details.length === 0 ? {} : { VALIDATION_ERROR: { message: validationError(details).message, details } }
}
