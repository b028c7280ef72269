import { rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { describe, expect, it, onTestFinished, vi } from 'vitest'
import { joinSources, parseConfig, readSources } from '#config.ts'
import { refusal } from './support/refusal.ts'
import { newFolder } from './support/run.ts'

const testKey = `sk_test_${'aB3'.repeat(13)}x`
const liveKey = `sk_live_${'Zz9'.repeat(13)}x`
const secretKey = Buffer.alloc(32, 7).toString('base64')

describe('settings', () => {
  const defaults = {
    host: '127.0.0.1',
    port: 4000,
    environments: ['staging', 'production'],
    baseUrls: {},
    dashboard: true,
    dashboardUrl: undefined,
    dataDir: path.resolve('.manilla'),
    databaseUrl: undefined,
    migrationDatabaseUrl: undefined,
    bootstrapTestKey: undefined,
    bootstrapLiveKey: undefined,
    rateLimitPerMinute: 60_000,
    rateLimitAnonymousPerMinute: 600,
    trustedProxies: [],
    receiversDeny: [],
    secretKey: undefined,
    previousSecretKeys: [],
    logLevel: 'info',
    logFormat: 'json',
    metricsHost: '127.0.0.1',
    metricsPort: undefined,
    tracesEndpoint: undefined,
    tracesHeaders: {},
    sandboxSettleMs: 1_000,
    webhookRetrySchedule: undefined,
    webhookLogDays: 90,
    lanes: { count: 1, isLeast: true },
    stopDelaySeconds: 0,
    retainEventDays: 90,
    retainPayerDays: undefined,
    railNoticeDays: 90,
    railFloatPatienceHours: 24,
  }
  const given: Record<string, [string, object]> = {
    HOST: ['0.0.0.0', { host: '0.0.0.0' }],
    PORT: ['8080', { port: 8080 }],
    ENVIRONMENTS: ['staging', { environments: ['staging'] }],
    STAGING_BASE_URL: ['https://pay.example.com/staging', { baseUrls: { staging: 'https://pay.example.com/staging' } }],
    PRODUCTION_BASE_URL: [
      'https://pay.example.com',
      { baseUrls: { production: 'https://pay.example.com' }, dashboardUrl: 'https://pay.example.com/dashboard' },
    ],
    DASHBOARD: ['off', { dashboard: false }],
    DASHBOARD_URL: ['https://pay.example.com', { dashboardUrl: 'https://pay.example.com/dashboard' }],
    DATA_DIR: ['data', { dataDir: path.resolve('data') }],
    DATABASE_URL: [
      'postgres://a:b@c/d',
      {
        databaseUrl: 'postgres://a:b@c/d',
        migrationDatabaseUrl: 'postgres://a:b@c/d',
        lanes: { count: 16, isLeast: true },
      },
    ],
    BOOTSTRAP_TEST_KEY: [testKey, { bootstrapTestKey: testKey }],
    BOOTSTRAP_LIVE_KEY: [liveKey, { bootstrapLiveKey: liveKey }],
    RATE_LIMIT_PER_MINUTE: ['1', { rateLimitPerMinute: 1 }],
    RATE_LIMIT_ANONYMOUS_PER_MINUTE: ['100000000', { rateLimitAnonymousPerMinute: 100_000_000 }],
    TRUSTED_PROXIES: ['10.0.0.0/8, ::1', { trustedProxies: ['10.0.0.0/8', '::1'] }],
    RECEIVERS_DENY: ['198.51.100.0/24', { receiversDeny: ['198.51.100.0/24'] }],
    SECRET_KEY: [secretKey, { secretKey }],
    LOG_LEVEL: ['silent', { logLevel: 'silent' }],
    LOG_FORMAT: ['pretty', { logFormat: 'pretty' }],
    METRICS_HOST: ['10.0.0.7', { metricsHost: '10.0.0.7' }],
    METRICS_PORT: ['9100', { metricsPort: 9100 }],
    OTEL_EXPORTER_OTLP_ENDPOINT: ['http://collector:4318', { tracesEndpoint: 'http://collector:4318' }],
    OTEL_EXPORTER_OTLP_HEADERS: [
      'api-key=a%2Cb=, x-tenant=42',
      { tracesHeaders: { 'api-key': 'a,b=', 'x-tenant': '42' } },
    ],
    LANES: ['4', { lanes: { count: 4, isLeast: false } }],
    STOP_DELAY_SECONDS: ['5', { stopDelaySeconds: 5 }],
    SANDBOX_SETTLE_MS: ['0', { sandboxSettleMs: 0 }],
    WEBHOOK_RETRY_SCHEDULE: ['5, 30', { webhookRetrySchedule: [5, 30] }],
    // An event is stored for as long as its deliveries.
    WEBHOOK_LOG_DAYS: ['7', { webhookLogDays: 7, retainEventDays: 7 }],
    RETAIN_EVENT_DATA_DAYS: ['forever', { retainEventDays: undefined }],
    RETAIN_PAYER_DATA_DAYS: ['365', { retainPayerDays: 365 }],
    RAIL_NOTICE_DAYS: ['7', { railNoticeDays: 7 }],
    RAIL_FLOAT_PATIENCE_HOURS: ['48', { railFloatPatienceHours: 48 }],
  }

  it('are not needed: each has its default', () => {
    expect(parseConfig({})).toEqual(defaults)
  })

  it.each(Object.entries(given))(
    '%s is taken, with space around it too, and changes nothing else',
    (name, [text, expected]) => {
      expect(parseConfig({ [name]: text })).toEqual({ ...defaults, ...expected })
      expect(parseConfig({ [name]: ` ${text} ` })).toEqual({ ...defaults, ...expected })
    },
  )

  it.each(Object.keys(given))('%s that is empty is absent', (name) => {
    expect(parseConfig({ [name]: '' })).toEqual(defaults)
    expect(parseConfig({ [name]: '  ' })).toEqual(defaults)
    expect(parseConfig({ [name]: undefined })).toEqual(defaults)
  })

  it('of others are ignored', () => {
    expect(parseConfig({ PATH: '/bin', POTR: 'nonsense', npm_config_port: 'x' })).toEqual(defaults)
  })

  it('may name the environments in any order, twice, and with spaces', () => {
    expect(parseConfig({ ENVIRONMENTS: 'production, staging' }).environments).toEqual(['production', 'staging'])
    expect(parseConfig({ ENVIRONMENTS: 'production,production' }).environments).toEqual(['production'])
  })

  it('choose readable log lines on a terminal by default', () => {
    expect(parseConfig({}, { terminal: true }).logFormat).toBe('pretty')
    expect(parseConfig({ LOG_FORMAT: 'json' }, { terminal: true }).logFormat).toBe('json')
  })

  it('have keys of before beside the key of now', () => {
    const [second, third] = [Buffer.alloc(32, 8).toString('hex'), Buffer.alloc(32, 9).toString('base64')]
    expect(parseConfig({ SECRET_KEY: secretKey, SECRET_KEY_PREVIOUS: `${second} , ${third}` })).toMatchObject({
      previousSecretKeys: [second, third],
    })
  })

  it('migrate with the address of the owner where there is one', () => {
    const config = parseConfig({
      DATABASE_URL: 'postgres://service@h/d',
      MIGRATION_DATABASE_URL: 'postgresql://owner@h/d',
    })
    expect(config).toMatchObject({
      databaseUrl: 'postgres://service@h/d',
      migrationDatabaseUrl: 'postgresql://owner@h/d',
    })
  })
})

describe('a wrong setting is refused with one sentence that names it:', () => {
  it.each([
    ['HOST', 'http://localhost', 'is a host name or an IP address, not "http://localhost"'],
    ['HOST', 'localhost:4000', 'is a host name or an IP address, not "localhost:4000"'],
    ['HOST', '999.1.1.1', 'is a host name or an IP address, not "999.1.1.1"'],
    ['HOST', '127.0.0.0.1', 'is a host name or an IP address, not "127.0.0.0.1"'],
    ['HOST', 'fe80::1%eth0', 'is a host name or an IP address, not "fe80::1%eth0"'],
    ['PORT', 'http', 'is a port number, not "http"'],
    ['PORT', '80.5', 'is a port number, not "80.5"'],
    ['PORT', '0x50', 'is a port number, not "0x50"'],
    ['PORT', '1e3', 'is a port number, not "1e3"'],
    ['PORT', '70000', 'is at most 65535, not "70000"'],
    ['PORT', '-1', 'is at least 0, not "-1"'],
    ['METRICS_PORT', '65536', 'is at most 65535, not "65536"'],
    ['ENVIRONMENTS', 'sandbox', 'is staging, production or both with a comma, not "sandbox"'],
    ['ENVIRONMENTS', 'staging,', 'is staging, production or both with a comma, not "staging,"'],
    ['RATE_LIMIT_PER_MINUTE', '0', 'is at least 1, not "0"'],
    ['WEBHOOK_RETRY_SCHEDULE', '5,x', 'is whole seconds with commas between, such as 5,30,120, not "5,x"'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'secret', 'is headers with commas between, such as api-key=abc,tenant=42'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a b=secret', 'is headers with commas between, such as api-key=abc,tenant=42'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret,', 'is headers with commas between, such as api-key=abc,tenant=42'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%zz', 'is headers with commas between, such as api-key=abc,tenant=42'],
    ['OTEL_EXPORTER_OTLP_HEADERS', 'a=secret%0A', 'is headers with commas between, such as api-key=abc,tenant=42'],
    ['WEBHOOK_LOG_DAYS', '6', 'is at least 7, not "6"'],
    ['RETAIN_PAYER_DATA_DAYS', '364', 'is at least 365, not "364"'],
    [
      'RETAIN_EVENT_DATA_DAYS',
      'never',
      'is forever, or a whole number of days of at least 7 and at most 36500, not "never"',
    ],
    ['RAIL_NOTICE_DAYS', '6', 'is at least 7, not "6"'],
    ['RAIL_FLOAT_PATIENCE_HOURS', '0', 'is at least 1, not "0"'],
    ['RATE_LIMIT_PER_MINUTE', '1000000000', 'is at most 100000000, not "1000000000"'],
    ['RATE_LIMIT_ANONYMOUS_PER_MINUTE', 'many', 'is a whole number, not "many"'],
    [
      'TRUSTED_PROXIES',
      '10.0.0.0/33',
      'is addresses or networks with commas between, such as 10.0.0.0/8,192.0.2.7, not "10.0.0.0/33"',
    ],
    ['TRUSTED_PROXIES', '0.0.0.0/0', 'is not everybody: name the proxies alone, not "0.0.0.0/0"'],
    ['LOG_LEVEL', 'verbose', 'is one of fatal, error, warn, info, debug, trace, silent, not "verbose"'],
    ['LOG_FORMAT', 'xml', 'is json or pretty, not "xml"'],
    ['SANDBOX_SETTLE_MS', '1.5', 'is a whole number of milliseconds, not "1.5"'],
    ['SANDBOX_SETTLE_MS', '3600001', 'is at most 3600000, not "3600001"'],
  ])('%s=%s', (name, text, complaint) => {
    expect(refusal({ [name]: text })).toBe(`Wrong setting: ${name} ${complaint}.`)
  })

  it('all wrong ones at once', () => {
    expect(refusal({ PORT: 'x', LOG_FORMAT: 'y' })).toBe(
      'Wrong setting: PORT is a port number, not "x". LOG_FORMAT is json or pretty, not "y".',
    )
  })

  it.each([
    ['DATABASE_URL', 'mysql://root:HUSHHUSH@host/db', 'is an address such as postgres://'],
    ['MIGRATION_DATABASE_URL', 'HUSHHUSH', 'is an address such as postgres://'],
    ['BOOTSTRAP_TEST_KEY', 'sk_live_HUSHHUSH', 'is sk_test_ and 40 letters or digits'],
    ['BOOTSTRAP_TEST_KEY', `${testKey}HUSHHUSH`, 'is sk_test_ and 40 letters or digits'],
    ['BOOTSTRAP_LIVE_KEY', 'HUSHHUSH', 'is sk_live_ and 40 letters or digits'],
    ['SECRET_KEY', 'HUSHHUSH', 'is 32 random bytes in base64 or hex'],
    ['SECRET_KEY_PREVIOUS', `${secretKey},HUSHHUSH`, 'is keys like SECRET_KEY, with commas between'],
    ['SECRET_KEY_PREVIOUS', Array.from({ length: 9 }, () => secretKey).join(), 'is at most 8 keys'],
    ['STAGING_BASE_URL', 'https://user:HUSHHUSH@pay.example.com/staging', 'has no query, no fragment and no user name'],
  ])('%s, whose value is not shown', (name, text, complaint) => {
    expect(refusal({ [name]: text })).toContain(`Wrong setting: ${name} ${complaint}`)
    expect(refusal({ [name]: text })).not.toContain('HUSHHUSH')
  })

  it('events that are forgotten before their deliveries are', () => {
    expect(refusal({ RETAIN_EVENT_DATA_DAYS: '89' })).toBe(
      'Wrong setting: RETAIN_EVENT_DATA_DAYS is at least WEBHOOK_LOG_DAYS (90), because a retry reads the event.',
    )
    expect(parseConfig({ RETAIN_EVENT_DATA_DAYS: '90' }).retainEventDays).toBe(90)
  })

  it('keys of before without a key of now', () => {
    expect(refusal({ SECRET_KEY_PREVIOUS: secretKey })).toBe(
      'Wrong setting: SECRET_KEY_PREVIOUS needs SECRET_KEY beside it.',
    )
  })

  it('an owner without a database', () => {
    expect(refusal({ MIGRATION_DATABASE_URL: 'postgres://owner@h/d' })).toBe(
      'Wrong setting: MIGRATION_DATABASE_URL needs DATABASE_URL beside it.',
    )
  })
})

describe('the variables of a process', () => {
  it('win over those of .env, which fills in missing ones', async () => {
    const folder = await newFolder('config')
    onTestFinished(() => rm(folder, { recursive: true }))
    vi.stubEnv('PORT', '5001')
    vi.stubEnv('HOST', undefined)
    onTestFinished(() => void vi.unstubAllEnvs())
    expect(joinSources(readSources(folder))['PORT']).toBe('5001')
    await writeFile(path.join(folder, '.env'), '# a comment\nPORT=6000\nHOST="::1"\n')
    expect(parseConfig(joinSources(readSources(folder)))).toMatchObject({ port: 5001, host: '::1' })
  })
})
