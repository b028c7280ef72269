// Warnings about settings that do not exist.

import { describe, expect, it } from 'vitest'
import { settingWarnings } from '#cli/settings.ts'

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
