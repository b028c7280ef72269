import { describe, expect, it } from 'vitest'
import { expectError, type Answer } from '#tests/support/client.ts'
import { useFrontDoor } from '#tests/support/front-door.ts'
import { askRaw } from '#tests/support/raw-http.ts'

const door = await useFrontDoor()
const ask = (version: string, path = '/v1/notes'): Promise<Answer> =>
  door.staging.call(path, { headers: { 'X-API-Version': version } })

describe('X-API-Version', () => {
  it.each(['v1', 'V1', ' v1 ', '\tv1', '', '  '])('%j selects the version that there is', async (version) => {
    const answer = await ask(version)
    expect(answer.status).toBe(200)
    expect(answer.headers['x-api-version']).toBe('v1')
  })

  it.each(['v2', '1', 'v', 'v1.0', 'v1,v2', 'latest', '2024-01-01', '__proto__'])(
    '%j is refused, and the answer still says what served it',
    async (version) => {
      const answer = await ask(version)
      expectError(answer, 400, 'UNSUPPORTED_API_VERSION', /^Supported versions: v1$/)
      expect(answer.headers['x-api-version']).toBe('v1')
    },
  )

  it('given twice is refused', async () => {
    const key = `Authorization: Bearer ${door.testKey}`
    const answer = await askRaw(
      door.port,
      `GET /staging/v1/notes HTTP/1.1\r\nHost: a\r\n${key}\r\nX-API-Version: v1\r\nX-API-Version: v1\r\n\r\n`,
    )
    expectError(answer as Answer, 400, 'UNSUPPORTED_API_VERSION')
  })

  it('holds for what needs no key too', async () => {
    const at = (version: string) => ({ headers: { 'X-API-Version': version } })
    for (const path of ['/health', '/v1/openapi.json']) {
      expect((await door.stranger.call(path, at('v1'))).status).toBe(200)
      expectError(await door.stranger.call(path, at('v2')), 400, 'UNSUPPORTED_API_VERSION')
    }
  })

  it('never changes a 404 or a 405', async () => {
    expectError(await ask('v2', '/v1/nothing'), 404, 'ROUTE_NOT_FOUND')
    expectError(await ask('v2', '/v1/nudges'), 405, 'METHOD_NOT_ALLOWED')
  })
})
