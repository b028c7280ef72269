// One endpoint, as the API description shows it.

import type { Endpoint } from '#http/endpoint.ts'
import { pageLimitDefault } from '#http/fields.ts'
import { paginationOf } from '#http/paging.ts'
import { successExample, successSchema } from './envelope.ts'
import type { Example } from './example.ts'
import { examples } from './examples/all.ts'
import type { Failures } from './failures.ts'
import { headersWith } from './headers.ts'
import type { Json, Schemas } from './schemas.ts'

export function operationOf(endpoint: Endpoint, schemas: Schemas, failures: Failures): Json {
  const { operationId, tag, scope, summary, description, body, items, bodyOptional } = endpoint
  const example = examples[operationId]
  const parameters = [
    ...parametersOf(schemas.of(endpoint.params, 'input'), 'path', example?.params),
    ...parametersOf(schemas.of(endpoint.query, 'input'), 'query', example?.query),
  ]
  const content = body === undefined ? undefined : schemas.of(items?.bodyShown ?? body, 'input')
  return {
    operationId,
    tags: [tag],
    summary,
    // In words and as an extension: tools take a role in a security requirement for a scope that OAuth has not declared.
    ...(scope === 'any' ? { description } : { description: `${description} Scope: \`${scope}\`.`, 'x-scope': scope }),
    ...(parameters.length === 0 ? {} : { parameters }),
    ...(content === undefined
      ? {}
      : { requestBody: { required: !bodyOptional, content: json(content, example?.request) } }),
    responses: { '200': success(endpoint, schemas, example), ...failures.of(endpoint, example) },
  }
}

function parametersOf(schema: Json, place: 'path' | 'query', values: Record<string, unknown> = {}): Json[] {
  const { properties = {}, required = [] } = schema as { properties?: Record<string, Json>; required?: string[] }
  return Object.entries(properties).map(([name, { description, ...rest }]) => ({
    name,
    in: place,
    ...(place === 'path' || required.includes(name) ? { required: true } : {}),
    ...(description === undefined ? {} : { description }),
    schema: rest,
    ...(values[name] === undefined ? {} : { example: values[name] }),
  }))
}

function success({ data, paginated, idempotent }: Endpoint, schemas: Schemas, example: Example | undefined): Json {
  const shown = successSchema(schemas.of(data, 'output'), paginated)
  const headers = idempotent ? headersWith('Idempotent-Replayed') : headersWith()
  const whole = (answer: Json): Json => successExample(answer, paginated ? pageOf(answer) : undefined)
  if (example?.others === undefined) {
    return {
      description: 'Done.',
      headers,
      content: json(shown, example === undefined ? undefined : whole(example.answer)),
    }
  }
  const named = { usual: example.answer, ...example.others }
  const values = Object.entries(named).map(([name, answer]): [string, Json] => [name, { value: whole(answer) }])
  return {
    description: 'Done.',
    headers,
    content: { 'application/json': { schema: shown, examples: Object.fromEntries(values) } },
  }
}

/** The examples show the first page of a list, with all that there is. */
function pageOf(answer: Json): Json {
  const [list] = Object.values(answer)
  return paginationOf(1, pageLimitDefault, Array.isArray(list) ? list.length : 0)
}

function json(schema: Json, example: unknown): Json {
  return { 'application/json': { schema, ...(example === undefined ? {} : { example }) } }
}
