import { OperatorError } from '#base/error.ts'
import { formatId } from '#base/ids.ts'
import { createBusiness, listBusinesses, type Business } from '#businesses/business.ts'
import { withContext } from './database.ts'
import { formatTime, table, type Output } from './output.ts'
import { readConfig } from './settings.ts'

export async function createBusinessCommand(output: Output, options: { name: string }): Promise<void> {
  const name = options.name.trim()
  if (name.length < 1 || name.length > 100) throw new OperatorError('A name has 1 to 100 characters.')
  const business = await withContext(readConfig(), output.step, (ctx) => createBusiness(ctx, name))
  const id = formatId('business', business.id)
  const next = `Create its keys with: npx manilla keys create --business ${id} --environment staging`
  output.result(documentOf(business), `Created ${name}: ${id}\n${next}`)
}

export async function listBusinessesCommand(output: Output): Promise<void> {
  const businesses = await withContext(readConfig(), output.step, listBusinesses)
  const rows = businesses.map((business) => [
    formatId('business', business.id),
    business.name,
    formatTime(business.createdAt),
  ])
  const text = rows.length === 0 ? 'There is no business yet.' : table(['id', 'name', 'created'], rows)
  output.result({ businesses: businesses.map(documentOf) }, text)
}

function documentOf(business: Business): Record<string, unknown> {
  return { id: formatId('business', business.id), name: business.name, createdAt: business.createdAt }
}
