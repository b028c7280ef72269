// What stands behind options, read as it is parsed, so that a mistake is told by the name of its option.

import { InvalidArgumentError } from 'commander'
import { dayMs, hourMs, minuteMs } from '#base/durations.ts'
import { amountMax, toKobo, type Kobo } from '#base/money.ts'
import { parseNetworks, parseScopes, type Parsed, type Scope } from '#businesses/restrictions.ts'

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

function parsedOf<T>(parsed: Parsed<T>): T {
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
