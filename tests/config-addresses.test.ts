import { describe, expect, it } from 'vitest'
import { dashboardUrlOf, entrancesOf, localAddress, parseConfig } from '#config.ts'
import { refusal } from './support/refusal.ts'

describe('base addresses', () => {
  it.each(['pay.example.com', '/staging', 'ftp://pay.example.com', 'https://', 'https:pay.example.com'])(
    '%s is none',
    (text) => {
      expect(refusal({ PRODUCTION_BASE_URL: text })).toMatch(
        /^Wrong setting: PRODUCTION_BASE_URL (is an absolute|has no query)/,
      )
    },
  )

  it.each(['https://pay.example.com?a=b', 'https://pay.example.com/x#y', 'https://ada@pay.example.com/'])(
    '%s has too much',
    (text) => {
      expect(refusal({ PRODUCTION_BASE_URL: text })).toBe(
        'Wrong setting: PRODUCTION_BASE_URL has no query, no fragment and no user name.',
      )
    },
  )

  it('follow from where the server listens, when they are not set', () => {
    const at = (host: string) => entrancesOf(parseConfig({ HOST: host }), 4321).map((entrance) => entrance.baseUrl)
    expect(at('127.0.0.1')).toEqual(['http://127.0.0.1:4321/staging', 'http://127.0.0.1:4321/production'])
    expect(at('0.0.0.0')[0]).toBe('http://127.0.0.1:4321/staging')
    expect(at('::')[0]).toBe('http://127.0.0.1:4321/staging')
    expect(at('::1')[0]).toBe('http://[::1]:4321/staging')
    expect(at('pay.internal')[0]).toBe('http://pay.internal:4321/staging')
    expect(localAddress('::1', 4000, 'docs')).toBe('http://[::1]:4000/docs')
  })

  it('are split into host and prefix, whatever slash they end in', () => {
    const config = parseConfig({
      STAGING_BASE_URL: 'https://Pay.Example.com:8443/api/staging//',
      PRODUCTION_BASE_URL: 'https://pay.example.com/',
    })
    expect(entrancesOf(config, 4000)).toEqual([
      {
        environment: 'staging',
        baseUrl: 'https://pay.example.com:8443/api/staging',
        host: 'pay.example.com:8443',
        prefix: '/api/staging',
      },
      { environment: 'production', baseUrl: 'https://pay.example.com', host: 'pay.example.com', prefix: '' },
    ])
  })

  it('are served for the environments that are served', () => {
    const config = parseConfig({ ENVIRONMENTS: 'production', STAGING_BASE_URL: 'https://pay.example.com' })
    expect(entrancesOf(config, 4000).map(({ environment }) => environment)).toEqual(['production'])
  })

  it('must differ, because they tell the environments apart', () => {
    const same = { STAGING_BASE_URL: 'https://pay.example.com/v', PRODUCTION_BASE_URL: 'https://pay.example.com/v/' }
    expect(refusal(same)).toBe(
      'Wrong setting: STAGING_BASE_URL and PRODUCTION_BASE_URL are both https://pay.example.com/v; give each a path or a host of its own.',
    )
    expect(refusal({ PRODUCTION_BASE_URL: 'http://127.0.0.1:4000/staging' })).toMatch(
      /are both http:\/\/127.0.0.1:4000\/staging;/,
    )
    expect(refusal({ ...same, ENVIRONMENTS: 'staging' })).toBe('was not refused')
    expect(refusal({ ...same, PRODUCTION_BASE_URL: 'https://live.example.com/v' })).toBe('was not refused')
  })
})

describe('the address of the dashboard', () => {
  const urlOf = (settings: Record<string, string>): string => dashboardUrlOf(parseConfig(settings), 4321)

  it.each([
    [{}, 'http://localhost:4321/dashboard'],
    [{ HOST: '0.0.0.0' }, 'http://localhost:4321/dashboard'],
    [{ DASHBOARD_URL: 'https://Pay.Example.com' }, 'https://pay.example.com/dashboard'],
    [{ DASHBOARD_URL: 'https://pay.example.com/dashboard/' }, 'https://pay.example.com/dashboard'],
    [{ DASHBOARD_URL: 'http://127.0.0.1:8080' }, 'http://127.0.0.1:8080/dashboard'],
    [{ PRODUCTION_BASE_URL: 'https://Pay.Example.com/live' }, 'https://pay.example.com/dashboard'],
    [{ PRODUCTION_BASE_URL: 'http://pay.example.com' }, 'http://localhost:4321/dashboard'],
    [
      { PRODUCTION_BASE_URL: 'https://api.example.com', DASHBOARD_URL: 'https://team.example.com' },
      'https://team.example.com/dashboard',
    ],
  ])('with %j is %s', (settings, url) => {
    expect(urlOf(settings)).toBe(url)
  })

  it.each(['http://pay.example.com', 'http://192.168.1.5:4000/dashboard'])(
    'is not %s, where everybody on the way reads passwords along',
    (url) => {
      expect(refusal({ DASHBOARD_URL: url })).toBe(
        'Wrong setting: DASHBOARD_URL begins with https:// unless it is this machine (localhost): people sign in there.',
      )
    },
  )

  it('has no path of its own', () => {
    expect(refusal({ DASHBOARD_URL: 'https://pay.example.com/people' })).toMatch(
      /^Wrong setting: DASHBOARD_URL ends with/,
    )
  })

  it('is not hidden by an environment', () => {
    const hidden = { STAGING_BASE_URL: 'https://pay.example.com/dashboard/staging' }
    expect(refusal(hidden)).toMatch(/^Wrong setting: STAGING_BASE_URL stands below \/dashboard/)
    expect(parseConfig({ ...hidden, DASHBOARD: 'off' }).dashboard).toBe(false)
  })
})
