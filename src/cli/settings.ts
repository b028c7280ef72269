import { readFileSync, statSync } from 'node:fs'
import { OperatorError } from '#base/error.ts'
import { joined, parseConfig, readSources, type Config, type Sources } from '#config.ts'
import { isSystemError } from './output.ts'
import { settingWarnings } from './setting-warnings.ts'

/** The settings of this process, with a sentence for each thing in them that is not wrong and probably not meant. */
export function readSettings({ rails }: { rails: boolean }): { config: Config; warnings: string[] } {
  const sources = readAll()
  const config = parseConfig(joined(sources), { terminal: process.stdout.isTTY, rails })
  return {
    config,
    warnings: [
      ...settingWarnings(sources, namedInRailsFile(joined(sources)['RAILS_FILE'])),
      ...railsFileWarnings(config),
    ],
  }
}

/** Texts in it that begin with `$` are variables. A file that cannot be read is in nobody's way who uses no rails. */
function namedInRailsFile(railsFile: string | undefined): Set<string> {
  try {
    const content = railsFile === undefined ? '' : readFileSync(railsFile, 'utf8')
    return new Set([...content.matchAll(/"\$([^"]+)"/g)].map(([, name = '']) => name))
  } catch {
    return new Set()
  }
}

function railsFileWarnings({ railsFile }: Config): string[] {
  if (railsFile === undefined || (statSync(railsFile).mode & 0o077) === 0) return []
  return [`${railsFile} holds keys of providers and can be read by others. Run: chmod 600 ${railsFile}`]
}

/** The settings of a command. What is odd about them is told on standard error. Few commands use rails. */
export function readConfig(uses = { rails: false }): Config {
  const { config, warnings } = readSettings(uses)
  for (const warning of warnings) process.stderr.write(`Warning: ${warning}\n`)
  return config
}

function readAll(): Sources {
  try {
    return readSources()
  } catch (error) {
    if (!isSystemError(error)) throw error
    throw new OperatorError(`Cannot read .env in ${process.cwd()}: ${error.message}.`, { cause: error })
  }
}
