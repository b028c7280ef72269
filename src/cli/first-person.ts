// How the first person gets into the dashboard: while there is nobody, each start makes a link that is good for one use. A
// terminal shows it. What is not a terminal is a log, which keeps it and shows it to many, so there it is put into a file.

import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import type { Context } from '#base/context.ts'
import { brief } from '#base/error.ts'
import { dashboardUrlOf, type Config } from '#config.ts'
import { writeWhole } from '#embedded/folder.ts'
import { linkTo, makeWelcomeLink } from '#people/links.ts'

/** What a start prints about the dashboard. */
export async function dashboardLine(
  ctx: Context,
  config: Config,
  port: number,
  { terminal }: { terminal: boolean },
): Promise<string> {
  const url = dashboardUrlOf(config, port)
  const file = path.join(config.dataDir, 'welcome-link')
  const token = await makeWelcomeLink(ctx)
  if (token === undefined) {
    await rm(file, { force: true })
    return `dashboard    ${url}`
  }
  const link = linkTo(url, 'welcome', token)
  return `dashboard    ${terminal ? link : await kept(ctx, file, link, url)}`
}

async function kept({ log }: Context, file: string, link: string, url: string): Promise<string> {
  try {
    await mkdir(path.dirname(file), { recursive: true, mode: 0o700 })
    await writeWhole(file, `${link}\n`, 0o600)
    return `${url}, whose first person comes by the link in ${file}`
  } catch (error) {
    // Where nothing may be written, whoever has a terminal makes the first person.
    log.warn({ error: brief(error) }, 'the link for the first person of the dashboard could not be kept')
    return url
  }
}
