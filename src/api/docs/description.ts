// Reads docs/openapi.json for the pages of the reference: operations and events, with their fields and examples.

import { readFileSync } from 'node:fs'
import path from 'node:path'

export type JsonFields = Record<string, unknown>

export type DocumentedField = {
  name: string
  required: boolean
  description: string
  schema: JsonFields
  example: unknown
}

export type DocumentedOperation = {
  id: string
  verb: string
  route: string
  tag: string
  summary: string
  description: string
  path: DocumentedField[]
  query: DocumentedField[]
  body: { name: string; example: JsonFields } | undefined
  /** True if the response has pages, which the SDKs read with an iterator. */
  isList: boolean
  /** The response body of the example. */
  answer: unknown
  /** The schema of `data` in the response. */
  answerSchema: JsonFields
  /** Each error status, with a text that lists its error codes. */
  refusals: [string, string][]
}

export type DocumentedEvent = { id: string; name: string; summary: string; schema: JsonFields; example: unknown }

export type Description = {
  tags: { name: string; description: string }[]
  operations: DocumentedOperation[]
  events: DocumentedEvent[]
  schemas: Record<string, JsonFields>
}

type OpenApiFile = {
  tags: { name: string; description: string }[]
  paths: Record<string, Record<string, OperationEntry>>
  webhooks: Record<string, { post: OperationEntry }>
  components: { schemas: Record<string, JsonFields>; responses: Record<string, { description: string }> }
}

type ContentExample = { schema?: JsonFields; example?: unknown; examples?: Record<string, { value?: unknown }> }

type OperationEntry = {
  operationId: string
  tags: string[]
  summary: string
  description?: string
  parameters?: (JsonFields & { name: string; in: string })[]
  requestBody?: { content: { 'application/json': { schema: { $ref: string }; example: JsonFields } } }
  responses: Record<string, { $ref?: string; description?: string; content?: { 'application/json': ContentExample } }>
}

export function readDescription(folder: string): Description {
  const document = JSON.parse(readFileSync(path.join(folder, 'openapi.json'), 'utf8')) as OpenApiFile
  const operations = Object.entries(document.paths).flatMap(([route, verbs]) =>
    Object.entries(verbs)
      .filter(([verb]) => verb !== 'parameters')
      .map(([verb, operation]) => operationOf(document, route, verb.toUpperCase(), operation)),
  )
  const events = Object.entries(document.webhooks).map(([name, { post }]) => {
    const content = post.requestBody?.content['application/json']
    return {
      id: post.operationId,
      name,
      summary: post.summary,
      schema: content?.schema ?? {},
      example: content?.example,
    }
  })
  return { tags: document.tags, operations, events, schemas: document.components.schemas }
}

function operationOf(document: OpenApiFile, route: string, verb: string, json: OperationEntry): DocumentedOperation {
  const parameters = (place: string): DocumentedField[] =>
    (json.parameters ?? [])
      .filter((one) => one.in === place)
      .map(({ name, required, description, schema, example }) => ({
        name,
        required: required === true,
        description: typeof description === 'string' ? description : '',
        schema: (schema ?? {}) as JsonFields,
        example,
      }))
  const body = json.requestBody?.content['application/json']
  const query = parameters('query')
  const answer = json.responses['200']?.content?.['application/json']
  return {
    id: json.operationId,
    verb,
    route,
    tag: json.tags[0] ?? '',
    summary: json.summary,
    description: json.description ?? '',
    path: parameters('path'),
    query,
    body: body && { name: body.schema.$ref.split('/').at(-1) ?? '', example: body.example },
    isList: query.some(({ name }) => name === 'page'),
    answer: exampleOf(answer),
    answerSchema: dataOf(answer?.schema, document),
    refusals: Object.entries(json.responses)
      .filter(([status]) => status !== '200')
      .map(([status, { $ref, description }]): [string, string] => {
        const shared = document.components.responses[$ref?.split('/').at(-1) ?? '']
        return [status, description ?? shared?.description ?? '']
      }),
  }
}

/** The schema of `data` in an envelope. */
function dataOf(envelope: JsonFields | undefined, { components }: OpenApiFile): JsonFields {
  const name = String(envelope?.['$ref']).split('/').at(-1) ?? ''
  const { data = {} } = (components.schemas[name]?.['properties'] ?? {}) as Record<string, JsonFields>
  return data
}

function exampleOf(content: ContentExample | undefined): unknown {
  return content?.example ?? Object.values(content?.examples ?? {})[0]?.value
}
