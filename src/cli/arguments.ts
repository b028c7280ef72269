// Parses options and arguments, and finds the business, the tenant and the actor of a command. Commander calls the
// parsers that throw `InvalidArgumentError`, and adds the name of the option to the message.

import os from 'node:os'
import { InvalidArgumentError } from 'commander'
import { type Business, findTenant, listBusinesses } from '#businesses/business.ts'
import { readCurrencies } from '#businesses/currencies.ts'
import { parseNetworks, type ParseResult, parseScopes, type Scope } from '#businesses/keyring.ts'
import type { Actor, Context, Environment, Tenant } from '#platform/context.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId, type IdKind, idPrefixes, parseId, type Uuid } from '#platform/ids.ts'
import { amountMax, currencies, type Currency, type Money, toMoney, zero } from '#platform/money.ts'
import { UsageError } from './output.ts'

export function lifetimeMsOf(text: string): number {
  const ms = durationMsOf(text)
  if (ms > 0) return ms
  throw new InvalidArgumentError('It must be longer than 0, such as 90d.')
}

export function scopesOf(text: string): Scope[] {
  return parsedOf(parseScopes(wordsOf(text)))
}

export function networksOf(text: string): string[] {
  return parsedOf(parseNetworks(wordsOf(text)))
}

export function currenciesOf(text: string): Currency[] {
  const names = wordsOf(text.toUpperCase())
  const unknown = names.find((name) => !isCurrency(name))
  if (unknown === undefined) return names.filter(isCurrency)
  throw new InvalidArgumentError(`${unknown} is none of ${currencies.join(', ')}.`)
}

function isCurrency(name: string): name is Currency {
  return (currencies as readonly string[]).includes(name)
}

function wordsOf(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

function parsedOf<T>(parsed: ParseResult<T>): T {
  if (parsed.kind === 'parsed') return parsed.value
  throw new InvalidArgumentError(parsed.sentence)
}

export function limitAmountOf(text: string): Money | 'none' {
  if (text === 'none') return text
  if (/^[1-9]\d{0,15}$/.test(text) && BigInt(text) <= amountMax) return toMoney(BigInt(text))
  throw new InvalidArgumentError(
    'Use an amount in the minor unit of the currency, such as 50000000 for ₦500,000.00, or none.',
  )
}

export function listLimitOf(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new InvalidArgumentError('Use a whole number from 1 to 10000.')
}

export function overlapHoursOf(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && hours >= 0 && hours <= 24) return hours
  throw new InvalidArgumentError('Use a number of hours from 0 to 24.')
}

export function idOf(kind: IdKind, text: string): Uuid {
  const id = parseId(kind, text)
  if (id === undefined) {
    const prefix = `${idPrefixes[kind]}_`
    const form = `it is ${prefix} and 26 letters and digits`
    throw new UsageError(
      `${text} is not the id of ${/^[aeiou]/.test(kind) ? 'an' : 'a'} ${kind}: ${form}. See: npx manilla ${listed[kind] ?? '--help'}`,
    )
  }
  return id
}

const listed: Partial<Record<IdKind, string>> = {
  business: 'businesses list',
  exception: 'exceptions list',
  key: 'keys list',
  railBreak: 'rails breaks',
}

const noteLengthMax = 500

export function noteIn({ note }: { note: string }): string {
  const trimmed = note.trim()
  if (trimmed.length >= 1 && trimmed.length <= noteLengthMax && !trimmed.includes('\0')) return trimmed
  throw new UsageError(`A note must have 1 to ${noteLengthMax} characters. Say who told you and where it is recorded.`)
}

export type TenantOptions = { business?: string; environment: Environment }

type NamedTenant = { tenant: Tenant; business: string }

/** Commands parse the id before they open the database, so that a typing mistake is reported at once. */
export function businessIdOf({ business }: { business?: string | undefined }): Uuid | undefined {
  return business === undefined ? undefined : idOf('business', business)
}

export async function chooseBusiness(ctx: Context, named: Uuid | undefined): Promise<Uuid> {
  const chosen = named ?? (await onlyBusiness(ctx))?.id
  if (chosen !== undefined) return chosen
  throw new UsageError('There is no business yet. Create one: npx manilla businesses create --name NAME')
}

const namedBusinessesMax = 20

async function onlyBusiness(ctx: Context): Promise<Business | undefined> {
  const all = await listBusinesses(ctx)
  if (all.length <= 1) return all[0]
  const lines = all.slice(0, namedBusinessesMax).map(({ id, name }) => `  ${formatId('business', id)}  ${name}`)
  const more = all.length > lines.length ? '\nFor all of them: npx manilla businesses list' : ''
  throw new UsageError(`There are ${all.length} businesses: choose one with --business.\n${lines.join('\n')}${more}`)
}

export async function tenantOf(ctx: Context, named: Uuid | undefined, environment: Environment): Promise<Tenant> {
  const businessId = await chooseBusiness(ctx, named)
  const tenant = await findTenant(ctx, businessId, environment)
  if (tenant === undefined) throw unknownBusiness(formatId('business', businessId))
  return tenant
}

/** Throws if the currency was never switched on, because the business then has no balance in it. */
export async function requireCurrency(ctx: Context, tenant: Tenant, currency: Currency): Promise<void> {
  if ((await readCurrencies(ctx, tenant)).some((one) => one.currency === currency)) return
  throw new OperatorError(
    `${currency} was never switched on for this business. See: npx manilla businesses currencies --help`,
  )
}

/** Returns the tenant and the name of its business; undefined if the operator named no business and none exists yet. */
export async function chooseTenant(ctx: Context, options: TenantOptions): Promise<NamedTenant | undefined> {
  const id = businessIdOf(options)
  const business = id === undefined ? await onlyBusiness(ctx) : (await listBusinesses(ctx)).find((one) => one.id === id)
  if (business === undefined && id === undefined) return undefined
  const tenant = business === undefined ? undefined : await findTenant(ctx, business.id, options.environment)
  if (business === undefined || tenant === undefined) throw unknownBusiness(options.business ?? '')
  return { tenant, business: business.name }
}

export async function requireBusiness(ctx: Context, id: Uuid): Promise<void> {
  if ((await findTenant(ctx, id, 'staging')) === undefined) throw unknownBusiness(formatId('business', id))
}

function unknownBusiness(id: string): OperatorError {
  return new OperatorError(`There is no business ${id}. See: npx manilla businesses list`)
}

export function atTerminal(): Actor {
  return { kind: 'terminal', name: `${userName()}@${os.hostname()}` }
}

function userName(): string {
  try {
    return os.userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}` // In a container a user may have no name.
  }
}

export function durationMsOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs }[unit]
  if (unitMs !== undefined) return Number(count) * unitMs
  throw new InvalidArgumentError('Use a number and s, m, h or d, such as 10m.')
}

export function amountIn(text: string): Money {
  const amount = /^[+-]?\d{1,16}$/.test(text) ? toMoney(BigInt(text)) : zero
  if (amount !== zero && amount <= amountMax && amount >= -amountMax) return amount
  throw new UsageError(
    `--amount ${text} is not an amount in the minor unit of the currency. Use +150000 to add ₦1,500.00 to the balance, or -150000 to subtract it.`,
  )
}
