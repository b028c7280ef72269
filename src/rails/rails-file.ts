// RAILS_FILE: which providers exist, and which of them serves what. The process reads it once at startup; if it finds
// a mistake, it stops with an error that names the position. Secrets are names of variables: `"$PAYSTACK_KEY"`.

import { createHash } from 'node:crypto'
import { z } from 'zod'
import { environments, type Environment } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { currencies, type Currency } from '#platform/money.ts'
import type { Clock } from '#platform/clock.ts'
import type { Net } from '#platform/http-client/client.ts'
import { currencyIn, paystackCountries, payoutCountries } from './paystack/countries.ts'
import { signingFault } from './pawapay/http-signatures.ts'
import type { ConfirmAccount } from './account-gate.ts'
import { createMonnify, monnifyUrls } from './monnify/monnify.ts'
import { createPawapay, pawapayUrls } from './pawapay/pawapay.ts'
import { createPaystack, createPaystackWallets } from './paystack/paystack.ts'
import type { Rail } from './rail.ts'
import type { Routing } from './registry.ts'

const text = z.string('must be a text').min(1, 'must not be empty').max(500)
const amount = z.int('must be a whole number of the minor unit of its currency').min(0)

const railName = z.string().regex(/^[a-z][a-z0-9-]{0,39}$/, 'a name is small letters, digits and hyphens')

const common = {
  environment: z.enum(environments, 'is staging or production'),
  /** Another server for rehearsals. */
  baseUrl: z.string().refine(isProviderUrl, 'is https, or a host of this machine').optional(),
  /** `reread`: the provider signs nothing. Its notices use an address with `token`, and it is asked to confirm them. */
  trust: z.enum(['signed', 'reread']).default('signed'),
  token: text.min(16, 'has at least 16 characters').optional(),
  /** The original name of this account, if the entry was renamed. Stored data keeps it as the rail's name. */
  renamedFrom: railName.optional(),
  /** Domain of the email addresses that identify customers at the provider; required to open accounts. */
  emailDomain: z
    .string()
    .regex(/^([a-z0-9-]+\.)+[a-z]{2,}$/, 'is a domain, such as pay.example.com')
    .optional(),
}

/** pawaPay has `callbacks` in place of `trust`, and no `emailDomain`, because it opens no accounts. */
const { trust: _trust, emailDomain: _emailDomain, ...commonOfPawapay } = common

const pawapay = z.strictObject({
  kind: z.literal('pawapay'),
  ...commonOfPawapay,
  apiToken: z.string('must be a text').min(1, 'must not be empty').max(5_000),
  /** The key of signed requests: its id in pawaPay's dashboard, and an EC key of the curve P-256 in PEM. */
  signing: z
    .strictObject({
      keyId: text,
      // In an environment variable, the line breaks of a PEM are often written as \n.
      privateKey: z
        .string()
        .max(5_000)
        .transform((pem) => pem.replaceAll(String.raw`\n`, '\n')),
    })
    .optional(),
  callbacks: z.enum(['signed', 'unsigned'], 'is signed or unsigned').default('signed'),
})

const rail = z.discriminatedUnion('kind', [
  z.strictObject({
    kind: z.literal('paystack'),
    ...common,
    secretKey: text,
    dvaBank: text.optional(),
    /** The country of the business to which the secret key belongs at Paystack; NG if left out. */
    country: z.enum(paystackCountries, `is one of ${paystackCountries.join(', ')}`).optional(),
  }),
  z.strictObject({
    kind: z.literal('monnify'),
    ...common,
    apiKey: text,
    secretKey: text,
    contractCode: text,
    wallet: text,
  }),
  pawapay,
])

const list = z.array(text).min(1)

const route = z.strictObject({
  rail: text,
  weight: z.int().min(0).max(1_000_000).default(1),
  minAmount: amount.optional(),
  maxAmount: amount.optional(),
  banks: z.union([z.strictObject({ only: list }), z.strictObject({ except: list })]).optional(),
  operators: list.optional(),
  /** Codes of countries. Several countries share a currency. */
  countries: z
    .array(z.string().regex(/^[A-Z]{2}$/, 'is two capital letters, such as GH'))
    .min(1)
    .optional(),
  cost: text.optional(),
})
const routes = z.array(route).min(1, 'names no rail; leave it out')

const routedPorts = [
  'payout',
  'bankDirectory',
  'momoPayout',
  'momoDirectory',
  'momoCollection',
  'virtualAccounts.static',
  'virtualAccounts.dynamic',
] as const

export type RoutedPort = (typeof routedPorts)[number]

/** The ports of currencies other than NGN. */
const walletPorts: readonly RoutedPort[] = ['momoPayout', 'momoDirectory', 'momoCollection']
const pawapayPorts: readonly RoutedPort[] = ['momoPayout', 'momoCollection']

const ports = z.strictObject(
  Object.fromEntries(routedPorts.map((port) => [port, routes.optional()])) as Record<
    RoutedPort,
    z.ZodOptional<typeof routes>
  >,
)

const endOf = ({ upTo }: { upTo: number | null }): number => upTo ?? Number.MAX_SAFE_INTEGER

/** Sorted, because the first step that reaches an amount counts (choose.ts). A step without `upTo` is the last. */
const costs = z
  .array(z.strictObject({ upTo: amount.nullable(), fee: amount }))
  .min(1)
  .transform((steps) => steps.toSorted((left, right) => endOf(left) - endOf(right)))

const railsFile = z.strictObject({
  rails: z.record(railName, rail),
  routes: z.partialRecord(z.enum(environments), z.partialRecord(z.enum(currencies), ports)).default({}),
  costs: z.record(z.string(), costs).default({}),
  policy: z.enum(['cost', 'weight']).default('weight'),
})

/** `label`: the entry's name in the file, if the rail has another. */
export type RailEntry = z.output<typeof rail> & { label?: string }
export type RailRoute = z.output<typeof route>
export type Costs = z.output<typeof costs>
/** Rails by their names: the entry's own name, or `renamedFrom`. */
export type RailsFile = Omit<z.output<typeof railsFile>, 'rails'> & { rails: Record<string, RailEntry> }

export function parseRailsFile(content: string, variables: Record<string, string | undefined>): RailsFile {
  const parsed = railsFile.safeParse(withSecrets(readJson(content), variables))
  if (!parsed.success) throw new OperatorError(`RAILS_FILE: ${sentence(parsed.error)}`)
  checkTogether(parsed.data)
  return withFirstNames(parsed.data)
}

/** Finds the entry by its name in the file or in stored data. */
export function railNamed({ rails }: RailsFile, name: string): string | undefined {
  return name in rails ? name : Object.keys(rails).find((one) => rails[one]?.label === name)
}

/**
 * Marks that identify the account at the provider: two entries that share a mark are one account. A secret appears as
 * its digest.
 */
export function accountMarksOf(entry: RailEntry): string[] {
  const digestOf = (secret: string): string =>
    createHash('sha256').update(`rail key ${secret}`).digest('hex').slice(0, 32)
  if (entry.kind === 'paystack') return [`paystack key ${digestOf(entry.secretKey)}`]
  if (entry.kind === 'pawapay') return [`pawapay token ${digestOf(entry.apiToken)}`]
  const { apiKey, contractCode, wallet } = entry
  return [`monnify key ${digestOf(apiKey)}`, `monnify contract ${contractCode}`, `monnify wallet ${wallet}`]
}

export function routesOf(
  { routes: given }: Pick<RailsFile, 'routes'>,
  environment: Environment,
  currency: Currency,
  port: RoutedPort,
): RailRoute[] {
  return given[environment]?.[currency]?.[port] ?? []
}

function readJson(content: string): unknown {
  try {
    return JSON.parse(content)
  } catch (error) {
    throw new OperatorError(`RAILS_FILE is not JSON: ${error instanceof Error ? error.message : 'it cannot be read'}`)
  }
}

function withSecrets(value: unknown, variables: Record<string, string | undefined>): unknown {
  if (Array.isArray(value)) return value.map((item) => withSecrets(item, variables))
  if (typeof value === 'object' && value !== null)
    return Object.fromEntries(Object.entries(value).map(([name, item]) => [name, withSecrets(item, variables)]))
  if (typeof value !== 'string' || !value.startsWith('$')) return value
  const found = variables[value.slice(1)]
  if (found === undefined || found === '') throw new OperatorError(`RAILS_FILE names ${value}, which is not set.`)
  return found
}

/** A payment keeps the name of its rail forever, so a renamed rail keeps its original name. */
function withFirstNames({ rails, routes: given, ...rest }: RailsFile): RailsFile {
  const nameOf = (name: string): string => rails[name]?.renamedFrom ?? name
  const entries = Object.entries(rails).map(([name, entry]): [string, RailEntry] => [
    nameOf(name),
    nameOf(name) === name ? entry : { ...entry, label: name },
  ])
  const portsWith = (routed: z.output<typeof ports>): z.output<typeof ports> =>
    Object.fromEntries(
      Object.entries(routed).map(([port, led]) => [port, led?.map((one) => ({ ...one, rail: nameOf(one.rail) }))]),
    )
  const renamed = Object.fromEntries(
    Object.entries(given).map(([environment, routed]) => [
      environment,
      Object.fromEntries(Object.entries(routed).map(([currency, one]) => [currency, portsWith(one)])),
    ]),
  )
  return { ...rest, rails: Object.fromEntries(entries), routes: renamed }
}

function requireAccounts(rails: RailsFile['rails']): void {
  const names = new Map<string, string>()
  const owners = new Map<string, string>()
  for (const [name, entry] of Object.entries(rails)) {
    const first = entry.renamedFrom ?? name
    const namesake = names.get(first)
    if (namesake !== undefined)
      throw new OperatorError(`RAILS_FILE: rails.${namesake} and rails.${name} both go by the name ${first}.`)
    names.set(first, name)
    for (const mark of accountMarksOf(entry)) {
      const twin = owners.get(mark)
      if (twin !== undefined) {
        const [kind, what = ''] = mark.split(' ')
        throw new OperatorError(
          `RAILS_FILE: rails.${twin} and rails.${name} are the same ${kind} account: they have the same ${what}. ` +
            'One account has one entry; give it all its routes, and name its former name in renamedFrom.',
        )
      }
      owners.set(mark, name)
    }
  }
}

function checkTogether({ rails, routes: given, costs: tables }: RailsFile): void {
  requireAccounts(rails)
  for (const [name, entry] of Object.entries(rails)) {
    const wrong = faultOf(entry)
    if (wrong !== undefined) throw new OperatorError(`RAILS_FILE: rails.${name}: ${wrong}`)
  }
  for (const { environment, currency, port, led } of allRoutes(given)) {
    const where = `RAILS_FILE: routes.${environment}.${currency}.${port}`
    if (currency !== 'NGN' && !walletPorts.includes(port))
      throw new OperatorError(
        `${where}: bank transfers and virtual accounts are NGN only; ${currency} has ${walletPorts.join(', ')}.`,
      )
    for (const { rail: name, cost } of led) {
      if (rails[name] === undefined) throw new OperatorError(`${where} names ${name}, which is no rail of this file.`)
      if (rails[name].environment !== environment)
        throw new OperatorError(`${where} names ${name}, which is a rail of ${rails[name].environment}.`)
      const unable = inabilityOf(rails[name], currency, port)
      if (unable !== undefined) throw new OperatorError(`${where} names ${name}: ${unable}.`)
      if (cost !== undefined && tables[cost] === undefined)
        throw new OperatorError(`${where} names the cost ${cost}, which is not in costs.`)
    }
  }
}

export function allRoutes(given: RailsFile['routes']) {
  return environments.flatMap((environment) =>
    currencies.flatMap((currency) =>
      routedPorts.flatMap((port) => {
        const led = routesOf({ routes: given }, environment, currency, port)
        return led.length === 0 ? [] : [{ environment, currency, port, led }]
      }),
    ),
  )
}

function inabilityOf(entry: RailEntry, currency: Currency, port: RoutedPort): string | undefined {
  switch (entry.kind) {
    case 'pawapay':
      return pawapayPorts.includes(port) ? undefined : `pawaPay serves ${pawapayPorts.join(' and ')}`
    case 'monnify':
      if (currency !== 'NGN' || walletPorts.includes(port)) return 'Monnify pays Nigerian banks and has no mobile money'
      return inabilityToOpen(entry, port)
    case 'paystack':
      return inabilityOfPaystack(entry, currency, port)
  }
}

function inabilityOfPaystack(
  { emailDomain, country = 'NG' }: Extract<RailEntry, { kind: 'paystack' }>,
  currency: Currency,
  port: RoutedPort,
): string | undefined {
  if (currency !== currencyIn[country]) return `a Paystack account of ${country} has no ${currency}`
  if (country !== 'NG') {
    if (port === 'momoDirectory') return 'Paystack names the holders of wallets in Nigeria only'
    if (port === 'momoPayout' && !payoutCountries.includes(country))
      return `Paystack does not pay wallets in ${country}`
  }
  return inabilityToOpen({ emailDomain }, port)
}

/** Paystack and Monnify identify customers and payers by email address, so these ports need a domain for addresses. */
function inabilityToOpen({ emailDomain }: { emailDomain?: string | undefined }, port: RoutedPort): string | undefined {
  const opens = port === 'virtualAccounts.static' || port === 'virtualAccounts.dynamic' || port === 'momoCollection'
  if (!opens || emailDomain !== undefined) return undefined
  return 'it has no "emailDomain"; add a domain of yours to that rail, such as "emailDomain": "pay.example.com"'
}

export function signsNotices(entry: RailEntry): boolean {
  return entry.kind === 'pawapay' ? entry.callbacks === 'signed' : entry.trust === 'signed'
}

function faultOf(entry: RailEntry): string | undefined {
  if (!signsNotices(entry) && entry.token === undefined)
    return 'a provider that does not sign its notices needs a "token"'
  const signing = entry.kind === 'pawapay' && entry.signing ? signingFault(entry.signing.privateKey) : undefined
  if (signing !== undefined) return `signing.privateKey ${signing}`
  if (entry.kind !== 'paystack') return undefined
  const prefix = entry.environment === 'production' ? 'sk_live_' : 'sk_test_'
  // A rehearsal may use any key, because it does not call the provider's own server.
  if (entry.baseUrl === undefined && !entry.secretKey.startsWith(prefix))
    return `the secret key of ${entry.environment} begins with ${prefix}`
  return undefined
}

function sentence(error: z.ZodError): string {
  const [issue] = error.issues
  const where = issue?.path.join('.') ?? ''
  return `${where === '' ? 'the document' : where}: ${issue?.message ?? 'is wrong'}.`
}

function isProviderUrl(url: string): boolean {
  const parsed = URL.parse(url)
  if (parsed === null || url.endsWith('/') || parsed.username !== '' || parsed.search !== '') return false
  return parsed.protocol === 'https:' || /^(127\.\d+\.\d+\.\d+|localhost|\[::1\])$/.test(parsed.hostname)
}

/**
 * `share`: this process's share of a provider's limits (processes.ts). `confirm`: blocks Paystack's calls until the key
 * is known to have the same account as before (account-gate.ts); if absent, all calls pass. `noticesUrl`: where a rail
 * sends its notices.
 */
type MakingRails = {
  net: Net
  clock: Clock
  share?: (() => number) | undefined
  confirm?: ((name: string, entry: RailEntry) => ConfirmAccount) | undefined
  noticesUrl?: ((name: string, entry: RailEntry) => string) | undefined
}

export function routingOf(file: RailsFile, making: MakingRails): Routing {
  const rails = Object.fromEntries(
    environments.map((environment) => [
      environment,
      Object.entries(file.rails)
        .filter(([, entry]) => entry.environment === environment)
        .map(([name, entry]) => createRail(name, entry, making)),
    ]),
  )
  return { rails, policy: file.policy, costs: file.costs, routesOf: (...which) => routesOf(file, ...which) }
}

export function createRail(name: string, entry: RailEntry, making: MakingRails): Rail {
  const created = createNamed(name, entry, making)
  return entry.label === undefined ? created : { ...created, label: entry.label }
}

function createNamed(name: string, entry: RailEntry, { confirm, noticesUrl, ...making }: MakingRails): Rail {
  switch (entry.kind) {
    case 'paystack': {
      const { secretKey, baseUrl, emailDomain, dvaBank, country = 'NG' } = entry
      const account = { ...making, name, secretKey, baseUrl, emailDomain, confirm: confirm?.(name, entry) }
      return country === 'NG' ? createPaystack({ ...account, dvaBank }) : createPaystackWallets({ ...account, country })
    }
    case 'monnify': {
      const { environment, apiKey, secretKey, contractCode, wallet, emailDomain, trust } = entry
      const { baseUrl = monnifyUrls[environment] } = entry
      return createMonnify({ ...making, name, apiKey, secretKey, contractCode, wallet, emailDomain, trust, baseUrl })
    }
    case 'pawapay': {
      const { environment, apiToken, signing, callbacks, baseUrl = pawapayUrls[environment] } = entry
      const callbackUrl = noticesUrl?.(name, entry)
      return createPawapay({ ...making, name, apiToken, signing, callbacks, baseUrl, callbackUrl })
    }
  }
}
