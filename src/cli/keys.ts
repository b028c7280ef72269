// `manilla keys`: creates, lists, revokes and rolls API keys.

import type { Environment } from '#platform/context.ts'
import { OperatorError } from '#platform/errors.ts'
import { formatId } from '#platform/ids.ts'
import { createKey, listKeys, revokeKey, rollKey, type ApiKey, type KeyChange, type NewKey } from '#businesses/keys.ts'
import { scopes as allScopes, type Scope } from '#businesses/keyring.ts'
import { withContext } from './database.ts'
import { businessIdOf, chooseBusiness, idOf, requireBusiness, tenantOf } from './arguments.ts'
import { formatTime, table, UsageError, type Output } from './output.ts'
import { readConfig } from './settings.ts'

type CreateOptions = {
  business?: string
  environment: Environment
  name: string
  scopes?: Scope[]
  allow?: string[]
  /** In milliseconds. */
  expiresIn?: number
}

export async function createKeyCommand(output: Output, options: CreateOptions): Promise<void> {
  const named = businessIdOf(options)
  const name = options.name.trim()
  if (name.length < 1 || name.length > 100) throw new UsageError('A name must have 1 to 100 characters.')
  const key = await withContext(readConfig(), output.step, async (ctx) => {
    const tenant = await tenantOf(ctx, named, options.environment)
    const { scopes = null, allow = null, expiresIn } = options
    const expiresAt = expiresIn === undefined ? null : new Date(ctx.clock.now() + expiresIn)
    return createKey(ctx, tenant, name, { scopes, allow, expiresAt })
  })
  output.result({ ...documentOf(key), key: key.secret }, shownOnce(key))
}

export async function listKeysCommand(output: Output, options: { business?: string }): Promise<void> {
  const named = businessIdOf(options)
  const keys = await withContext(readConfig(), output.step, async (ctx) => {
    const businessId = await chooseBusiness(ctx, named)
    await requireBusiness(ctx, businessId)
    return listKeys(ctx, businessId)
  })
  const rows = keys.map((key) => [
    formatId('key', key.id),
    `${key.prefix}…${key.lastFour}`,
    key.name,
    key.status,
    key.scopes.length === allScopes.length ? 'all' : key.scopes.join(','),
    key.allow === null ? 'anywhere' : key.allow.join(','),
    formatTime(key.expiresAt),
    formatTime(key.createdAt),
    formatTime(key.lastUsedAt),
  ])
  const text =
    rows.length === 0
      ? 'This business has no key yet.'
      : table(['id', 'key', 'name', 'status', 'scopes', 'from', 'expires', 'created', 'last used'], rows)
  output.result({ keys: keys.map(documentOf) }, text)
}

export async function revokeKeyCommand(output: Output, id: string): Promise<void> {
  const change = await withContext(readConfig(), output.step, (ctx) => revokeKey(ctx, idOf('key', id)))
  const key = changed(change, id)
  output.result(documentOf(key), `Revoked ${id}. All servers refuse it within a second.`)
}

export async function rollKeyCommand(
  output: Output,
  id: string,
  { overlapHours }: { overlapHours: number },
): Promise<void> {
  const change = await withContext(readConfig(), output.step, (ctx) => rollKey(ctx, idOf('key', id), overlapHours))
  const key = changed(change, id)
  const old = overlapHours === 0 ? 'The old key no longer works.' : `The old key works for another ${overlapHours} h.`
  output.result({ ...documentOf(key), key: key.secret }, `${shownOnce(key)}\n${old}`)
}

function changed<T>(change: KeyChange<T>, id: string): T {
  switch (change.kind) {
    case 'done':
      return change.key
    case 'not-found':
      throw new OperatorError(`There is no key ${id}. See: npx manilla keys list --business <id>`)
    case 'not-active':
      throw new OperatorError(`The key ${id} is ${change.key.status}. Create another: npx manilla keys create --help`)
  }
}

function shownOnce(key: NewKey): string {
  return `${key.secret}\nThe key is shown only now. Its id is ${formatId('key', key.id)}.`
}

function documentOf(key: ApiKey): Record<string, unknown> {
  const { id, environment, prefix, lastFour, name, status, scopes, allow } = key
  const { createdAt, lastUsedAt, expiresAt, revokedAt } = key
  const times = { createdAt, lastUsedAt, expiresAt, revokedAt }
  return { id: formatId('key', id), environment, prefix, lastFour, name, status, scopes, allow, ...times }
}
