// The API reference in the browser: Swagger UI from its own package, served from here, so that nothing is loaded from
// another host and it works where there is no internet.

import { readFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import path from 'node:path'
import { answer } from './answer.ts'
import type { Exchange, Page } from './exchange.ts'

const types: Record<string, string> = {
  '.css': 'text/css; charset=utf-8',
  '.js': 'text/javascript; charset=utf-8',
  '.html': 'text/html; charset=utf-8',
}

// Swagger UI sets styles from its script and shows images as data; scripts come from this server alone.
const policy =
  "default-src 'none'; script-src 'self'; style-src 'self' 'unsafe-inline'; img-src 'self' data:; connect-src *; " +
  "font-src data:; base-uri 'none'; form-action 'none'; frame-ancestors 'none'"

const page = `<!doctype html>
<html lang="en">
  <head>
    <meta charset="utf-8">
    <meta name="viewport" content="width=device-width, initial-scale=1">
    <title>Manilla API reference</title>
    <link rel="icon" href="data:,">
    <link rel="stylesheet" href="/docs/swagger-ui.css">
  </head>
  <body>
    <div id="reference"></div>
    <script src="/docs/swagger-ui-bundle.js"></script>
    <script src="/docs/start.js"></script>
  </body>
</html>
`

const start = `SwaggerUIBundle({
  url: '/v1/openapi.json',
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
})
`

export function referencePages(): Page[] {
  return [
    { path: '/docs', respond: (exchange) => show(exchange, '.html', page) },
    { path: '/docs/start.js', respond: (exchange) => show(exchange, '.js', start) },
    ...['swagger-ui.css', 'swagger-ui-bundle.js'].map(asset),
  ]
}

function asset(name: string): Page {
  const folder = path.dirname(createRequire(import.meta.url).resolve('swagger-ui-dist/package.json'))
  return {
    path: `/docs/${name}`,
    respond: async (exchange) => show(exchange, path.extname(name), await readFile(path.join(folder, name))),
  }
}

function show(exchange: Exchange, extension: string, body: string | Buffer): void {
  answer(exchange, 200, body, ['Content-Security-Policy', policy], ['Content-Type', types[extension] ?? 'text/plain'])
}
