// The script of the reference page: starts Swagger UI, and keeps the key that is entered for the session of the tab, so
// that a reload does not ask for it again and closing the tab forgets it.

export function startScript(prefix: string): string {
  return `const kept = 'manilla-api-key'

const keepKey = () => ({
  statePlugins: {
    auth: {
      wrapActions: {
        authorize: (authorize) => (given) => {
          if (given.apiKey) sessionStorage.setItem(kept, given.apiKey.value)
          return authorize(given)
        },
        logout: (logout) => (names) => {
          sessionStorage.removeItem(kept)
          return logout(names)
        },
      },
    },
  },
})

const ui = SwaggerUIBundle({
  url: ${JSON.stringify(`${prefix}/v1/openapi.json`)},
  validatorUrl: null,
  dom_id: '#reference',
  deepLinking: true,
  docExpansion: 'list',
  defaultModelsExpandDepth: 0,
  tryItOutEnabled: true,
  persistAuthorization: false,
  plugins: [keepKey],
  onComplete: () => {
    const key = sessionStorage.getItem(kept)
    if (key !== null) ui.preauthorizeApiKey('apiKey', key)
  },
})
`
}
