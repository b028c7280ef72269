// What stands behind options, read as it is parsed, so that a mistake is told by the name of its option.

import os from 'node:os'
import { InvalidArgumentError } from 'commander'
import { findTenant, listBusinesses } from '#businesses/business.ts'
import { parseNetworks, parseScopes, type ParseResult, type Scope } from '#businesses/keyring.ts'
import type { Context, Environment, Tenant, Actor } from '#platform/context.ts'
import { dayMs, hourMs, minuteMs } from '#platform/durations.ts'
import { OperatorError } from '#platform/errors.ts'
import { idPrefixes, parseId, type IdKind, type Uuid, formatId } from '#platform/ids.ts'
import { amountMax, toKobo, type Kobo } from '#platform/money.ts'

/** `30s`, `10m`, `2h`, `90d` */
export function durationMsOf(text: string): number {
  const [, count = '', unit = ''] = /^(\d{1,5})([smhd])$/.exec(text) ?? []
  const unitMs = { s: 1_000, m: minuteMs, h: hourMs, d: dayMs }[unit]
  if (unitMs !== undefined) return Number(count) * unitMs
  throw new InvalidArgumentError('It is a number and s, m, h or d, such as 10m.')
}

/** A time that has not passed when it begins. */
export function lifetimeMsOf(text: string): number {
  const ms = durationMsOf(text)
  if (ms > 0) return ms
  throw new InvalidArgumentError('It is longer than nothing, such as 90d.')
}

export function scopesOf(text: string): Scope[] {
  return parsedOf(parseScopes(wordsOf(text)))
}

export function networksOf(text: string): string[] {
  return parsedOf(parseNetworks(wordsOf(text)))
}

function wordsOf(text: string): string[] {
  return text.split(',').map((word) => word.trim())
}

function parsedOf<T>(parsed: ParseResult<T>): T {
  if (parsed.kind === 'parsed') return parsed.value
  throw new InvalidArgumentError(parsed.sentence)
}

/** An amount, or none. */
export function koboOrNoneOf(text: string): Kobo | 'none' {
  if (text === 'none') return text
  if (/^[1-9]\d{0,15}$/.test(text) && BigInt(text) <= amountMax) return toKobo(BigInt(text))
  throw new InvalidArgumentError('It is an amount in kobo, such as 50000000 for ₦500,000.00, or none.')
}

export function listLimitOf(text: string): number {
  const limit = Number(text)
  if (Number.isInteger(limit) && limit >= 1 && limit <= 10_000) return limit
  throw new InvalidArgumentError('It is a whole number from 1 to 10000.')
}

export function overlapHoursOf(text: string): number {
  const hours = Number(text)
  if (text.trim() !== '' && hours >= 0 && hours <= 24) return hours
  throw new InvalidArgumentError('It is a number of hours from 0 to 24.')
}

// An id that somebody typed.

export function idOf(kind: IdKind, text: string): Uuid {
  const id = parseId(kind, text)
  if (id === undefined) {
    const prefix = `${idPrefixes[kind]}_`
    const form = `it is ${prefix} and 26 letters and digits`
    throw new OperatorError(
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

// What a person writes about an act of theirs: it is kept for whoever asks later why.

const noteLengthMax = 500

export function noteIn({ note }: { note: string }): string {
  const trimmed = note.trim()
  if (trimmed.length >= 1 && trimmed.length <= noteLengthMax && !trimmed.includes('\0')) return trimmed
  throw new OperatorError(`A note has 1 to ${noteLengthMax} characters: say who told you, and where that is written.`)
}

// Whose events: the business that the operator named, or else the first one, in the environment that is asked for.

export type TenantOptions = { business?: string; environment: Environment }

type NamedTenant = { tenant: Tenant; business: string }

/** Parsed before any database is opened, so that the operator is told of a typing mistake at once. */
export function businessIdOf({ business }: { business?: string | undefined }): Uuid | undefined {
  if (business === undefined) return undefined
  const id = parseId('business', business)
  if (id === undefined)
    throw new OperatorError(`${business} is not the id of a business. Find it with: npx manilla businesses list`)
  return id
}

/** Of a business that a command cannot do without. */
export async function tenantOf(ctx: Context, businessId: Uuid, environment: Environment): Promise<Tenant> {
  const tenant = await findTenant(ctx, businessId, environment)
  if (tenant === undefined) throw unknownBusiness(formatId('business', businessId))
  return tenant
}

/** Undefined when the operator named no business and there is none yet. */
export async function chooseTenant(ctx: Context, options: TenantOptions): Promise<NamedTenant | undefined> {
  const id = businessIdOf(options)
  const all = await listBusinesses(ctx)
  const chosen = id === undefined ? all[0] : all.find((business) => business.id === id)
  if (chosen === undefined && id === undefined) return undefined
  const tenant = chosen === undefined ? undefined : await findTenant(ctx, chosen.id, options.environment)
  if (chosen === undefined || tenant === undefined) {
    throw unknownBusiness(options.business ?? '')
  }
  return { tenant, business: chosen.name }
}

function unknownBusiness(id: string): OperatorError {
  return new OperatorError(`There is no business ${id}. See: npx manilla businesses list`)
}

// Who runs a command, for the audit log.

/** As far as the machine knows. */
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
