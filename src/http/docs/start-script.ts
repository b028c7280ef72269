// The script of the reference page: starts Swagger UI. A key that is entered is forgotten with the page: it runs in a sandbox,
// apart from the dashboard of the same address, and keeps nothing.

export function startScript(prefix: string): string {
  return `SwaggerUIBundle({
  url: ${JSON.stringify(`${prefix}/v1/openapi.json`)},
  validatorUrl: null,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
})
`
}
