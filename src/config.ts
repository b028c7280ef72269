// Settings come from the environment (and an optional .env). Only this file reads them, once, and an invalid one stops
// the start with a message that names it. All are optional. cli/settings.ts warns of names that are no settings.

import { validateHeaderName, validateHeaderValue } from 'node:http'
import { isIP } from 'node:net'
import { existsSync, readFileSync, statSync } from 'node:fs'
import path from 'node:path'
import { parseEnv } from 'node:util'
import { z } from 'zod'
import type { LanesWanted } from './businesses/lanes.ts'
import { environments, type Environment } from './platform/context.ts'
import { asksForPrimary } from './platform/db/sessions.ts'
import { OperatorError } from './platform/errors.ts'
import { isLoopbackHost, isNetwork } from './platform/http-client/addresses.ts'
import { parseSecretKey } from './platform/secrets.ts'
import type { MailServer, MailSettings } from './mail/transport.ts'
import { parseRailsFile, type RailsFile } from './rails/rails-file.ts'

/** The version of this release, the same as in package.json. */
export const version = '0.2.0'

export type Entrance = { environment: Environment; baseUrl: string; host: string; prefix: string }

export type Config = {
  host: string
  port: number
  environments: Environment[]
  baseUrls: Partial<Record<Environment, string>>
  dashboard: boolean
  /** The address at which people open the dashboard. Undefined: on localhost, at the port of this process. */
  dashboardUrl: string | undefined
  dataDir: string
  databaseUrl: string | undefined
  migrationDatabaseUrl: string | undefined
  bootstrapTestKey: string | undefined
  bootstrapLiveKey: string | undefined
  rateLimitPerMinute: number
  rateLimitAnonymousPerMinute: number
  /** Addresses and networks of the proxies whose X-Forwarded-For is believed. */
  trustedProxies: string[]
  /** Networks that no webhook is sent to, in addition to private, local and reserved ones. */
  receiversDeny: string[]
  secretKey: string | undefined
  /** Former values of SECRET_KEY. The service decrypts with them and never encrypts with them. */
  previousSecretKeys: string[]
  logLevel: string
  logFormat: 'json' | 'pretty'
  metricsHost: string
  metricsPort: number | undefined
  /** The URL of the collector of spans, without /v1/traces. */
  tracesEndpoint: string | undefined
  tracesHeaders: Record<string, string>
  sandboxSettleMs: number
  /** The waits between attempts, in seconds. Undefined for the usual ones. */
  webhookRetrySchedule: number[] | undefined
  webhookLogDays: number
  /** After how many days the service erases the personal data of an event. Undefined: never. */
  retainEventDays: number | undefined
  /** After how many days the service erases the names of payers and payees. Undefined: never. */
  retainPayerDays: number | undefined
  railNoticeDays: number
  /** How long a payout waits for the balance of its rail before it fails. */
  railFloatPatienceHours: number
  lanes: LanesWanted
  /** The mail server, and the sender of e-mails. E-mails are sent if both are set. */
  mailServer: MailServer | undefined
  mailFrom: string | undefined
  /** How long the process still serves after a stop signal, while /ready already fails. */
  stopDelaySeconds: number
  /** The path and contents of RAILS_FILE; undefined without one, and for commands that use no rails. */
  railsFile: string | undefined
  rails: RailsFile | undefined
}

// The types of settings, each with the message for an invalid value.

const wholeNumber = (what: string, min: number, max: number) =>
  z
    .string()
    .regex(/^-?\d+$/, `is ${what}`)
    .transform(Number)
    .pipe(z.number().min(min, `is at least ${min}`).max(max, `is at most ${max}`))
/** At most 50 waits of at most a week each. */
const waits = z
  .string()
  .regex(/^\d+(\s*,\s*\d+)*$/, 'is whole seconds with commas between, such as 5,30,120')
  .transform((text) => text.split(',').map(Number))
  .refine((seconds) => seconds.length <= 50 && Math.max(...seconds) <= 604_800, 'is at most 50 waits of at most 604800')
const portNumber = wholeNumber('a port number', 0, 65_535)
const perMinute = wholeNumber('a whole number', 1, 100_000_000)
const key = (prefix: string) =>
  z.string().regex(new RegExp(`^${prefix}[A-Za-z0-9]{40}$`), `is ${prefix} and 40 letters or digits`)
const networks = z
  .string()
  .transform((text) => text.split(',').map((part) => part.trim()))
  .refine((list) => list.every(isNetwork), 'is addresses or networks with commas between, such as 10.0.0.0/8,192.0.2.7')
const hostName = z.string().refine(isHost, 'is a host name or an IP address')
const baseUrl = z
  .url({ protocol: /^https?$/, error: 'is an absolute http(s) address such as https://pay.example.com/staging' })
  .refine((text) => /^https?:\/\/[^/?#@]+(\/[^?#]*)?$/i.test(text), 'has no query, no fragment and no user name')
export const dashboardPath = '/dashboard'
/** Must be https, because people send passwords there; on this machine http is enough, because nothing leaves it. */
const dashboardUrl = baseUrl
  .refine(isSafeForSignIn, 'begins with https:// unless it is this machine (localhost): people sign in there')
  .refine(
    (text) => ['', '/', dashboardPath].includes(trimmedPath(text)),
    `ends with its host, or with ${dashboardPath}`,
  )
  .transform((text) => new URL(text).origin + dashboardPath)
const httpHeaders = z
  .string()
  .refine((text) => parseHeaders(text) !== undefined, 'is headers with commas between, such as api-key=abc,tenant=42')
  .transform((text) => parseHeaders(text) ?? {})
const secretKey = z.string().refine(isSecretKey, 'is 32 random bytes in base64 or hex (openssl rand -base64 32)')
/** A longer list would mean that earlier key changes were never finished. */
const previousKeysMax = 8
const secretKeys = z
  .string()
  .transform((text) => text.split(',').map((one) => one.trim()))
  .refine((keys) => keys.every(isSecretKey), 'is keys like SECRET_KEY, with commas between')
  .refine((keys) => keys.length <= previousKeysMax, `is at most ${previousKeysMax} keys`)
const postgresUrl = z
  .string()
  .regex(/^postgres(ql)?:\/\/./, 'is an address such as postgres://user:password@host:5432/manilla')
  .refine(asksForPrimary, 'asks for target_session_attrs=read-write, or says nothing of it: Manilla writes')

const smtpUrl = z
  .string()
  .refine(
    (text) => parseSmtpUrl(text) !== undefined,
    'is an address such as smtps://user:password@mail.example.com:465',
  )
  .transform((text) => parseSmtpUrl(text))
const senderAddress = z
  .string()
  .max(200, 'has at most 200 characters')
  .regex(
    /^([^\p{C}<>@",;:\\]+<[^\s<>@,;]+@[^\s<>@,;]+>|[^\s<>@,;]+@[^\s<>@,;]+)$/u,
    'is an address such as Manilla <no-reply@example.com>',
  )

const daysOrForEver = (least: number) =>
  z.union([z.literal('forever'), wholeNumber('a whole number of days', least, 36_500)], {
    error: `is forever, or a whole number of days of at least ${least} and at most 36500`,
  })

function parseSmtpUrl(unchecked: string): MailServer | undefined {
  try {
    const { protocol, hostname, port, username, password, pathname, search, hash } = new URL(unchecked)
    if (!/^smtps?:$/.test(protocol) || hostname === '' || !['', '/'].includes(pathname) || search + hash !== '')
      return undefined
    const isSecure = protocol === 'smtps:'
    const [user, secret] = [username, password].map((text) => (text === '' ? undefined : decodeURIComponent(text)))
    const host = hostname.replace(/^\[(.*)\]$/, '$1')
    return { host, port: port === '' ? (isSecure ? 465 : 587) : Number(port), isSecure, user, password: secret }
  } catch {
    return undefined
  }
}

function isSafeForSignIn(unchecked: string): boolean {
  if (!URL.canParse(unchecked)) return true // `baseUrl` refuses it.
  const { protocol, hostname } = new URL(unchecked)
  return protocol === 'https:' || isLoopbackHost(hostname)
}

function trimmedPath(unchecked: string): string {
  return URL.canParse(unchecked) ? new URL(unchecked).pathname.replace(/(?<=.)\/$/, '') : ''
}

/** A name, or an address of which a URL can be made: 999.1.1.1 is neither. */
function isHost(unchecked: string): boolean {
  const named = isIP(unchecked) !== 0 || /^[A-Za-z0-9][A-Za-z0-9._-]*$/.test(unchecked)
  return named && URL.canParse(localAddress(unchecked, 0, ''))
}

export function localAddress(host: string, port: number, below: string): string {
  const name = host === '0.0.0.0' || host === '::' ? '127.0.0.1' : host
  return `http://${name.includes(':') ? `[${name}]` : name}:${port}/${below}`
}

/** Parses headers in the format of OpenTelemetry: names and percent-encoded values. */
function parseHeaders(unchecked: string): Record<string, string> | undefined {
  try {
    const pairs = unchecked.split(',').map((pair): [string, string] => {
      const [, name = '', value = ''] = /^([^=]*)=(.*)$/.exec(pair.trim()) ?? []
      validateHeaderName(name.trim())
      const decoded = decodeURIComponent(value.trim())
      validateHeaderValue(name, decoded)
      return [name.trim(), decoded]
    })
    return Object.fromEntries(pairs)
  } catch {
    return undefined
  }
}

function isSecretKey(unchecked: string): boolean {
  try {
    parseSecretKey(unchecked)
    return true
  } catch {
    return false
  }
}

const logLevels = ['fatal', 'error', 'warn', 'info', 'debug', 'trace', 'silent'] as const

const settings = z.object({
  HOST: hostName.default('127.0.0.1'),
  PORT: portNumber.default(4000),
  PRODUCTION_BASE_URL: baseUrl.optional(),
  STAGING_BASE_URL: baseUrl.optional(),
  ENVIRONMENTS: z
    .string()
    .transform((text) => text.split(',').map((name) => name.trim()))
    .pipe(z.array(z.enum(environments, 'is staging, production or both with a comma')).min(1))
    .default([...environments]),
  DASHBOARD: z.enum(['on', 'off'], 'is on or off').default('on'),
  DASHBOARD_URL: dashboardUrl.optional(),
  DATA_DIR: z.string().default('.manilla'),
  DATABASE_URL: postgresUrl.optional(),
  MIGRATION_DATABASE_URL: postgresUrl.optional(),
  BOOTSTRAP_TEST_KEY: key('sk_test_').optional(),
  BOOTSTRAP_LIVE_KEY: key('sk_live_').optional(),
  RATE_LIMIT_PER_MINUTE: perMinute.default(60_000),
  RATE_LIMIT_ANONYMOUS_PER_MINUTE: perMinute.default(600),
  TRUSTED_PROXIES: networks
    .refine((list) => list.every((text) => !text.endsWith('/0')), 'is not everybody: name the proxies alone')
    .default([]),
  RECEIVERS_DENY: networks.default([]),
  SECRET_KEY: secretKey.optional(),
  SECRET_KEY_PREVIOUS: secretKeys.optional(),
  RAILS_FILE: z.string().optional(),
  SMTP_URL: smtpUrl.optional(),
  MAIL_FROM: senderAddress.optional(),
  LOG_LEVEL: z.enum(logLevels, `is one of ${logLevels.join(', ')}`).default('info'),
  LOG_FORMAT: z.enum(['json', 'pretty'], 'is json or pretty').optional(),
  METRICS_HOST: hostName.default('127.0.0.1'),
  METRICS_PORT: portNumber.optional(),
  OTEL_EXPORTER_OTLP_ENDPOINT: baseUrl.optional(),
  OTEL_EXPORTER_OTLP_HEADERS: httpHeaders.default({}),
  LANES: wholeNumber('a whole number', 1, 4_096).optional(),
  STOP_DELAY_SECONDS: wholeNumber('a whole number of seconds', 0, 300).default(0),
  SANDBOX_SETTLE_MS: wholeNumber('a whole number of milliseconds', 0, 3_600_000).default(1_000),
  WEBHOOK_RETRY_SCHEDULE: waits.optional(),
  WEBHOOK_LOG_DAYS: wholeNumber('a whole number of days', 7, 36_500).default(90),
  RETAIN_EVENT_DATA_DAYS: daysOrForEver(7).optional(),
  // At least a year, because until then payers may ask about their money, and payments may be unfinished.
  RETAIN_PAYER_DATA_DAYS: daysOrForEver(365).default('forever'),
  RAIL_NOTICE_DAYS: wholeNumber('a whole number of days', 7, 36_500).default(90),
  RAIL_FLOAT_PATIENCE_HOURS: wholeNumber('a whole number of hours', 1, 8_760).default(24),
})

export const settingNames = Object.keys(settings.shape)

export type Variables = Record<string, string | undefined>

/** The variables of this process, and those of `.env`, which apply where the process has none of that name. */
export type Sources = { process: Variables; file: Variables; fileMode: number | undefined }

export function readSources(folder = process.cwd()): Sources {
  const name = path.join(folder, '.env')
  if (!existsSync(name)) return { process: process.env, file: {}, fileMode: undefined }
  return { process: process.env, file: parseEnv(readFileSync(name, 'utf8')), fileMode: statSync(name).mode }
}

export function joinSources(sources: Sources): Variables {
  return { ...sources.file, ...sources.process }
}

/**
 * `rails: false`: for commands without rails, so that neither a fault in RAILS_FILE nor a missing key of it stops them.
 */
type ParseOptions = { terminal?: boolean; rails?: boolean }

export function parseConfig(variables: Variables, options: ParseOptions = {}): Config {
  // An empty variable is an absent one: `PORT= npm start` means the default.
  const given = Object.fromEntries(
    Object.entries(variables).flatMap(([name, text = '']) => (text.trim() === '' ? [] : [[name, text.trim()]])),
  )
  const parsed = settings.safeParse(given)
  if (!parsed.success) throw new OperatorError(sentence(parsed.error, given))
  const config = configOf(parsed.data, options, given)
  checkTogether(config)
  return config
}

function configOf(
  value: z.infer<typeof settings>,
  { terminal = false, rails = true }: ParseOptions,
  variables: Variables,
): Config {
  const railsFile = rails ? value.RAILS_FILE : undefined
  return {
    host: value.HOST,
    port: value.PORT,
    environments: [...new Set(value.ENVIRONMENTS)],
    baseUrls: {
      ...(value.STAGING_BASE_URL === undefined ? {} : { staging: value.STAGING_BASE_URL }),
      ...(value.PRODUCTION_BASE_URL === undefined ? {} : { production: value.PRODUCTION_BASE_URL }),
    },
    dashboard: value.DASHBOARD === 'on',
    dashboardUrl: value.DASHBOARD_URL ?? dashboardBeside(value.PRODUCTION_BASE_URL),
    dataDir: path.resolve(value.DATA_DIR),
    databaseUrl: value.DATABASE_URL,
    migrationDatabaseUrl: value.MIGRATION_DATABASE_URL ?? value.DATABASE_URL,
    bootstrapTestKey: value.BOOTSTRAP_TEST_KEY,
    bootstrapLiveKey: value.BOOTSTRAP_LIVE_KEY,
    rateLimitPerMinute: value.RATE_LIMIT_PER_MINUTE,
    rateLimitAnonymousPerMinute: value.RATE_LIMIT_ANONYMOUS_PER_MINUTE,
    trustedProxies: value.TRUSTED_PROXIES,
    receiversDeny: value.RECEIVERS_DENY,
    secretKey: value.SECRET_KEY,
    previousSecretKeys: value.SECRET_KEY_PREVIOUS ?? [],
    logLevel: value.LOG_LEVEL,
    logFormat: value.LOG_FORMAT ?? (terminal ? 'pretty' : 'json'),
    metricsHost: value.METRICS_HOST,
    metricsPort: value.METRICS_PORT,
    tracesEndpoint: value.OTEL_EXPORTER_OTLP_ENDPOINT,
    tracesHeaders: value.OTEL_EXPORTER_OTLP_HEADERS,
    sandboxSettleMs: value.SANDBOX_SETTLE_MS,
    webhookRetrySchedule: value.WEBHOOK_RETRY_SCHEDULE,
    webhookLogDays: value.WEBHOOK_LOG_DAYS,
    // By default, events stay complete for as long as their deliveries are stored, because a retry reads the event.
    retainEventDays: daysOf(value.RETAIN_EVENT_DATA_DAYS ?? value.WEBHOOK_LOG_DAYS),
    retainPayerDays: daysOf(value.RETAIN_PAYER_DATA_DAYS),
    railNoticeDays: value.RAIL_NOTICE_DAYS,
    railFloatPatienceHours: value.RAIL_FLOAT_PATIENCE_HOURS,
    lanes: value.LANES === undefined ? usualLanes(value.DATABASE_URL) : { count: value.LANES, isLeast: false },
    mailServer: value.SMTP_URL,
    mailFrom: value.MAIL_FROM,
    stopDelaySeconds: value.STOP_DELAY_SECONDS,
    railsFile: railsFile === undefined ? undefined : path.resolve(railsFile),
    rails: railsFile === undefined ? undefined : readRailsFile(railsFile, variables),
  }
}

/**
 * One lane is fastest on one machine, such as the embedded database. An operator's own PostgreSQL may be spread over
 * machines later, lane by lane.
 */
function usualLanes(databaseUrl: string | undefined): LanesWanted {
  return { count: databaseUrl === undefined ? 1 : 16, isLeast: true }
}

function daysOf(days: number | 'forever'): number | undefined {
  return days === 'forever' ? undefined : days
}

function readRailsFile(name: string, variables: Variables): RailsFile {
  let content: string
  try {
    content = readFileSync(name, 'utf8')
  } catch (error) {
    throw new OperatorError(`Wrong setting: RAILS_FILE names ${name}, which cannot be read.`, { cause: error })
  }
  return parseRailsFile(content, variables)
}

/** Refuses settings that are valid one by one and contradict each other. */
function checkTogether(config: Config): void {
  if (config.migrationDatabaseUrl !== undefined && config.databaseUrl === undefined) {
    throw new OperatorError('Wrong setting: MIGRATION_DATABASE_URL needs DATABASE_URL beside it.')
  }
  if (config.previousSecretKeys.length > 0 && config.secretKey === undefined) {
    throw new OperatorError('Wrong setting: SECRET_KEY_PREVIOUS needs SECRET_KEY beside it.')
  }
  if (config.retainEventDays !== undefined && config.retainEventDays < config.webhookLogDays) {
    throw new OperatorError(
      `Wrong setting: RETAIN_EVENT_DATA_DAYS is at least WEBHOOK_LOG_DAYS (${config.webhookLogDays}), because a retry reads the event.`,
    )
  }
  const [first, second] = entrancesOf(config, config.port)
  const shadowed = entrancesOf(config, config.port).find(({ prefix }) => isBelowDashboard(`${prefix}/`))
  if (config.dashboard && shadowed !== undefined) {
    const name = `${shadowed.environment.toUpperCase()}_BASE_URL`
    throw new OperatorError(
      `Wrong setting: ${name} stands below ${dashboardPath}; give it another path, or set DASHBOARD=off.`,
    )
  }
  if (first !== undefined && first.baseUrl === second?.baseUrl) {
    throw new OperatorError(
      `Wrong setting: STAGING_BASE_URL and PRODUCTION_BASE_URL are both ${first.baseUrl}; give each a path or a host of its own.`,
    )
  }
}

export function mailSettingsOf({ mailServer, mailFrom }: Config): MailSettings | undefined {
  return mailServer === undefined || mailFrom === undefined ? undefined : { server: mailServer, from: mailFrom }
}

/** The addresses that callers use. An address that is not set is derived from where the server listens. */
export function entrancesOf(config: Config, listeningPort: number): Entrance[] {
  return config.environments.map((environment) => {
    const url = new URL(config.baseUrls[environment] ?? localAddress(config.host, listeningPort, environment))
    const prefix = url.pathname.replace(/\/+$/, '')
    return { environment, baseUrl: url.origin + prefix, host: url.host, prefix }
  })
}

export function noticesUrlOf(config: Config, rail: string, { environment, token }: NoticesEntry): string {
  const base = entrancesOf(config, config.port).find((one) => one.environment === environment)?.baseUrl ?? ''
  return `${base}/rails/${rail}/notices${token === undefined ? '' : `/${token}`}`
}

type NoticesEntry = { environment: Environment; token?: string | undefined }

export function isBelowDashboard(address: string): boolean {
  return address === dashboardPath || address.startsWith(`${dashboardPath}/`)
}

/** The address at which people open the dashboard. Requests with another host name are refused. */
export function dashboardUrlOf({ dashboardUrl: given }: Config, listeningPort: number): string {
  return given ?? `http://localhost:${listeningPort}${dashboardPath}`
}

/** A proxy that serves production serves the dashboard on the same host, unless a setting says otherwise. */
function dashboardBeside(production: string | undefined): string | undefined {
  if (production === undefined) return undefined
  const { protocol, origin } = new URL(production)
  return protocol === 'https:' ? origin + dashboardPath : undefined
}

/** `PORT is at most 65535, not "70000".` Secrets are named but not shown. */
function sentence(error: z.ZodError, given: Record<string, unknown>): string {
  const shown = error.issues.map((issue) => {
    const name = String(issue.path[0])
    const secret = /KEY|URL|HEADERS/.test(name)
    return `${name} ${issue.message}${secret ? '' : `, not ${JSON.stringify(given[name])}`}.`
  })
  return `Wrong setting: ${[...new Set(shown)].join(' ')}`
}
