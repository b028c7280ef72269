// What the log of API requests keeps of the body of a refused request: its shape, and the values of fields that are known
// to say nothing of a person and to be no secret. Everything else shows its kind and length. It is a list of what may be
// shown, so that a field that is new, or misspelt, is masked.

import { hideSecrets } from '#platform/observability/log.ts'

const shownFields = new Set(
  `amount amountPolicy bankSlug bankCode country currency events expiresIn items operator outcome status transfers
   type`.split(/\s+/),
)

const itemsMax = 3
const fieldsMax = 30
const textMax = 60
const depthMax = 4
const bodyMax = 2_048
/** Parsing a larger one would hold up other requests. */
const sentMax = 64 * 1024

/** Undefined if it is no JSON object, or a large one. */
export function maskBody(sent: Buffer): string | undefined {
  if (sent.length > sentMax) return undefined
  const parsed = parse(sent)
  if (typeof parsed !== 'object' || parsed === null) return undefined
  const text = JSON.stringify(maskValue(parsed, true, 0))
  return text.length <= bodyMax ? text : JSON.stringify({ '…': `${sent.length} bytes` })
}

function parse(sent: Buffer): unknown {
  try {
    return JSON.parse(sent.toString('utf8'))
  } catch {
    return undefined
  }
}

function maskValue(value: unknown, isShown: boolean, depth: number): unknown {
  if (value === null || typeof value === 'boolean') return value
  if (typeof value === 'number') return isShown ? numberOf(value) : '[number]'
  if (typeof value === 'string') return isShown ? maskText(value) : `[text of ${value.length} characters]`
  if (!isShown || depth >= depthMax) return Array.isArray(value) ? '[list]' : '[object]'
  return Array.isArray(value) ? maskList(value, depth) : maskObject(value as object, depth)
}

function maskList(list: unknown[], depth: number): unknown[] {
  const items = list.slice(0, itemsMax).map((item) => maskValue(item, true, depth + 1))
  return list.length > itemsMax ? [...items, `[${list.length - itemsMax} more]`] : items
}

function maskObject(fields: object, depth: number): Record<string, unknown> {
  const pairs = Object.entries(fields)
    .slice(0, fieldsMax)
    .map(([name, value]) => [maskName(name), maskValue(value, shownFields.has(name), depth + 1)] as const)
  return Object.fromEntries(pairs)
}

/** A name of a field may itself be what a customer wrote. */
function maskName(name: string): string {
  return /^[A-Za-z_]{1,40}$/.test(name) ? name : `[name of ${name.length} characters]`
}

/** An amount may be of any size; a number as long as an account number is shown only in its magnitude. */
function numberOf(value: number): number | string {
  return Math.abs(value) < 1e9 ? value : `[number of ${String(Math.trunc(Math.abs(value))).length} digits]`
}

/** A text that a caller chose, without secrets and long numbers. */
export function maskText(text: string, max = textMax): string {
  return hideSecrets(text)
    .replaceAll(/\d[\d ]{4,}\d/g, '[digits]')
    .slice(0, max)
}
