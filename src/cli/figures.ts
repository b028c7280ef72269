// `manilla figures rebuild`: counts the figures of a business anew.

import type { Environment } from '#base/context.ts'
import { OperatorError } from '#base/error.ts'
import { rebuildFigures } from '#payments/rebuild-figures.ts'
import { chooseTenant } from './choose-tenant.ts'
import { withContext } from './database.ts'
import type { Output } from './output.ts'
import { readConfig } from './settings.ts'

export type RebuildOptions = { business: string; environment: Environment }

export async function rebuildFiguresCommand(output: Output, whose: RebuildOptions): Promise<void> {
  const { before, rows } = await withContext(readConfig(), output.step, async (ctx) => {
    const named = await chooseTenant(ctx, whose)
    if (named === undefined) throw new OperatorError(`There is no business ${whose.business}.`)
    return rebuildFigures(ctx, named.tenant)
  })
  const until = before.toISOString()
  output.result({ ...whose, before: until, rows }, `${rows} figures of the hours before ${until} were counted anew.`)
}
