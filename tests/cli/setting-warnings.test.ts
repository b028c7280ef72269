// Warnings about settings that do not exist, and about routes that name unknown banks or operators.

import { describe, expect, it } from 'vitest'
import { routeWarnings, settingWarnings } from '#cli/settings.ts'
import { parseRailsFile } from '#rails/rails-file.ts'

const none = { process: {}, file: {}, fileMode: undefined }

describe('an unknown setting', () => {
  it.each([
    ['PRT', 'PORT'],
    ['port', 'PORT'],
    ['METRICS_PROT', 'METRICS_PORT'],
    ['WEBHOOK_RETRY_SCHEDULES', 'WEBHOOK_RETRY_SCHEDULE'],
    ['RATE_LIMIT_PER_MINUT', 'RATE_LIMIT_PER_MINUTE'],
    ['DATABASE_ULR', 'DATABASE_URL'],
    ['LOGLEVEL', 'LOG_LEVEL'],
    ['SANDBOX_DELAY', 'SANDBOX_SETTLE_MS'],
  ])('%s is reported, with the setting that was probably meant', (name, meant) => {
    expect(settingWarnings({ ...none, process: { [name]: '1' } })).toEqual([
      `${name} is not a setting of Manilla and has no effect. Did you mean ${meant}?`,
    ])
  })

  it('of another program is not reported', () => {
    const others = [
      'PATH',
      'HOSTNAME',
      'HOSTTYPE',
      'LOGNAME',
      'PWD',
      'NODE_ENV',
      'npm_package_version',
      'TERM',
      'SHLVL',
    ]
    const variables = Object.fromEntries([...others, 'OTEL_RESOURCE_ATTRIBUTES', '_'].map((name) => [name, '1']))
    expect(settingWarnings({ ...none, process: variables })).toEqual([])
  })

  it('that RAILS_FILE names is not reported', () => {
    const file = { PAYSTACK_LIVE_KEY: 'sk_live_x', PAYSTACK_LIVE_KYE: '' }
    expect(settingWarnings({ ...none, file }, new Set(['PAYSTACK_LIVE_KEY']))).toEqual([
      expect.stringMatching(/^PAYSTACK_LIVE_KYE in \.env is not a setting/),
    ])
  })

  it('is reported once if it stands in .env, wherever else it comes from', () => {
    const file = { PORT: '4000', COLOUR: 'red', LOG_LEVLE: 'debug' }
    expect(settingWarnings({ ...none, process: { LOG_LEVLE: 'debug' }, file })).toEqual([
      expect.stringMatching(/^COLOUR in \.env is not a setting of Manilla/),
      'LOG_LEVLE in .env is not a setting of Manilla and has no effect. Did you mean LOG_LEVEL?',
    ])
  })
})

describe('.env', () => {
  it.each([
    [0o100644, ['Every user of this machine can read .env. Run: chmod 600 .env']],
    [0o100640, []],
    [0o100600, []],
  ])('of mode %o', (fileMode, warnings) => {
    expect(settingWarnings({ ...none, file: { PORT: '1' }, fileMode })).toEqual(warnings)
  })
})

describe('a route of RAILS_FILE', () => {
  const warningsOf = (currency: string, port: string, ...routes: Record<string, unknown>[]) => {
    const environment = 'staging'
    const rails = {
      monnify: {
        kind: 'monnify',
        environment,
        apiKey: 'key',
        secretKey: 'secret',
        contractCode: '1',
        wallet: '2',
        emailDomain: 'pay.example.com',
      },
      pawapay: { kind: 'pawapay', environment, apiToken: 'token' },
    }
    const rail = port.startsWith('momo') ? 'pawapay' : 'monnify'
    const led = routes.map((route) => ({ rail, ...route }))
    return routeWarnings(
      parseRailsFile(JSON.stringify({ rails, routes: { staging: { [currency]: { [port]: led } } } }), {}),
    )
  }

  it.each([
    ['except', 'zenit-bank', 'zenit-bank, which is not the slug of a bank. Did you mean zenith-bank?'],
    ['only', 'gtbank', 'gtbank, which is not the slug of a bank. Did you mean guaranty-trust-bank?'],
    ['except', 'bank-of-nowhere', 'bank-of-nowhere, which is not the slug of a bank.'],
    ['except', 'opay', 'opay, which is not the slug of a bank. Did you mean paycom?'],
  ])('with %s %s is reported, with the bank that was probably meant', (list, slug, fault) => {
    const routes = [{}, { banks: { [list]: ['zenith-bank', slug] } }]
    for (const port of ['payout', 'bankDirectory'])
      expect(warningsOf('NGN', port, ...routes)).toEqual([`RAILS_FILE: routes.staging.NGN.${port}.1 names ${fault}`])
  })

  it.each([
    [
      { operators: ['mtn-gg', 'telecel-gh'] },
      'mtn-gg, which is not the slug of an operator with GHS. Did you mean mtn-gh?',
    ],
    [{ operators: ['mpesa-ke'] }, 'mpesa-ke, which is not the slug of an operator with GHS.'],
    [{ banks: { except: ['mtn-gh', 'ghana-bank'] } }, 'ghana-bank, which is not the slug of an operator with GHS.'],
    [{ countries: ['GH', 'GN'] }, 'GN, which is not a country with GHS.'],
  ])('with %j is reported, because no payment in cedis has that operator or country', (route, fault) => {
    expect(warningsOf('GHS', 'momoPayout', route)).toEqual([
      `RAILS_FILE: routes.staging.GHS.momoPayout.0 names ${fault}`,
    ])
  })

  it('that names only known banks, operators and countries is not reported', () => {
    expect(routeWarnings()).toEqual([])
    expect(
      warningsOf('NGN', 'payout', {}, { banks: { except: ['paycom', 'zenith-bank'] }, countries: ['NG'] }),
    ).toEqual([])
    expect(warningsOf('XOF', 'momoCollection', { operators: ['wave-sn'], countries: ['SN', 'CI'] })).toEqual([])
  })

  it('is reported twenty times at most', () => {
    const except = Array.from({ length: 30 }, (_, index) => `no-such-bank-${index}`)
    expect(warningsOf('NGN', 'payout', { banks: { except } })).toHaveLength(20)
  })
})
