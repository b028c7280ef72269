// The OpenAPI 3.1 document, made from the same values that route, check and answer requests. Nothing in it is written
// by hand that the code could contradict; the examples, which could, are held against a running service by a test.

import type { Entrance } from '#config.ts'
import type { Endpoint } from '#http/endpoint.ts'
import { createFailures } from './failures.ts'
import { requestHeaderReferences, requestHeaders, responseHeaders } from './headers.ts'
import { operationOf } from './operation.ts'
import { paginationSchema } from './envelope.ts'
import { createSchemas, type Json } from './schemas.ts'
import { describeTags } from './tags.ts'
import { deliveryHeaders, webhooksSection } from './webhooks.ts'

const description = [
  'Amounts are integers in kobo: ₦1,500.00 is 150000. Times are ISO 8601 in UTC. Call it from a backend only: a key in a browser is a key given away.',
  'The examples tell one story, of a business on staging that has just been made. Identifiers, account numbers and times will be others; the rest comes out as shown.',
].join('\n\n')

export function openApiDocument(endpoints: Endpoint[], entrances: Entrance[]): Json {
  const schemas = createSchemas()
  const failures = createFailures(schemas)
  const paths: Record<string, Json> = {}
  for (const endpoint of endpoints) {
    const path = endpoint.path.replaceAll(/:([A-Za-z]+)/g, '{$1}')
    const before = paths[path] ?? { parameters: requestHeaderReferences }
    paths[path] = { ...before, [endpoint.method.toLowerCase()]: operationOf(endpoint, schemas, failures) }
  }
  const webhooks = webhooksSection(schemas)
  return {
    openapi: '3.1.1',
    info: {
      title: 'Manilla',
      version: '1',
      summary: 'Payments in naira and mobile money.',
      description,
      contact: { name: 'Whoever runs this service' },
      license: { name: 'Apache-2.0', identifier: 'Apache-2.0' },
    },
    servers: entrances.map(({ baseUrl, environment }) => ({ url: baseUrl, description: environment })),
    security: [{ apiKey: [] }],
    tags: describeTags([...endpoints.map((endpoint) => endpoint.tag), 'Events']),
    paths,
    webhooks,
    components: {
      securitySchemes: {
        apiKey: { type: 'http', scheme: 'bearer', description: 'sk_test_… on staging, sk_live_… in production.' },
      },
      parameters: { ...requestHeaders, ...deliveryHeaders },
      headers: responseHeaders,
      schemas: { ...schemas.named(), Pagination: paginationSchema },
      ...failures.components(),
    },
  }
}
