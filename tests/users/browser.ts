// A browser of one person: it stores cookies and sends them, as a page of the dashboard does.

import { createClient, type Answer } from '#tests/support/client.ts'
import { pageHeaders } from '#tests/support/dashboard.ts'
import type { TestService } from '#tests/support/service.ts'

export type Browser = {
  get(path: string): Promise<Answer>
  post(path: string, body?: unknown): Promise<Answer>
  patch(path: string, body: unknown): Promise<Answer>
  delete(path: string): Promise<Answer>
  cookies: Map<string, string>
}

/** Paths begin below /dashboard/api. */
export function openBrowser(service: TestService): Browser {
  const client = createClient(`${service.url.replace('127.0.0.1', 'localhost')}/dashboard/api`)
  const cookies = new Map<string, string>()

  async function call(method: string, path: string, body?: unknown): Promise<Answer> {
    const sent = [...cookies].map(([name, value]) => `${name}=${value}`).join('; ')
    const headers = { ...pageHeaders, ...(sent === '' ? {} : { Cookie: sent }) }
    const answer = await client.call(path, { method, headers, ...(body === undefined ? {} : { body }) })
    for (const line of [answer.headers['set-cookie'] ?? []].flat()) keep(line)
    return answer
  }

  function keep(line: string): void {
    const [, name = '', value = ''] = /^([^=]+)=([^;]*)/.exec(line) ?? []
    if (value === '') cookies.delete(name)
    else cookies.set(name, value)
  }

  return {
    get: (path) => call('GET', path),
    post: (path, body = {}) => call('POST', path, body),
    patch: (path, body) => call('PATCH', path, body),
    delete: (path) => call('DELETE', path),
    cookies,
  }
}
