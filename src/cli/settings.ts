// Reads the settings of a process, and warns of what is valid and probably a mistake: a name that the service does not
// read, a file that others can read, a route that names an unknown bank or operator, settings for e-mails that do not
// fit together.

import { readFileSync, statSync } from 'node:fs'
import {
  dashboardUrlOf,
  settingNames,
  type Sources,
  joinSources,
  parseConfig,
  readSources,
  type Config,
} from '#config.ts'
import { findBank, nearestBanks } from '#directory/banks.ts'
import { listOperators } from '#directory/operators.ts'
import { OperatorError } from '#platform/errors.ts'
import type { Currency } from '#platform/money.ts'
import { allRoutes, type RailRoute, type RailsFile } from '#rails/rails-file.ts'
import { isSystemError } from './output.ts'

const warningsMax = 20

/** `named`: the variables that RAILS_FILE names. The operator chose these names for the keys of providers. */
export function settingWarnings(
  { process: variables, file, fileMode }: Sources,
  named: ReadonlySet<string> = new Set(),
): string[] {
  const ours = new Set([...settingNames, ...named])
  const inFile = Object.keys(file).filter((name) => !ours.has(name))
  // A process has hundreds of other variables, so only those with a name like ours are examined.
  const inProcess = Object.keys(variables).filter((name) => !ours.has(name) && !(name in file) && looksLikeOurs(name))
  return [
    ...(fileMode !== undefined && (fileMode & 0o007) !== 0
      ? ['Every user of this machine can read .env. Run: chmod 600 .env']
      : []),
    ...inFile.map((name) => `${name} in .env is not a setting of Manilla and has no effect. ${hintFor(name)}`),
    ...inProcess.map((name) => `${name} is not a setting of Manilla and has no effect. ${hintFor(name)}`),
  ].slice(0, warningsMax)
}

/** `METRICS_PROT` begins like METRICS_PORT, `PRT` is one letter away from PORT. HOSTNAME is neither. */
function looksLikeOurs(name: string): boolean {
  return families.has(familyOf(name)) || settingNames.some((one) => isMistypedFor(name.toUpperCase(), one))
}

/** Compares the lengths first, because every command compares every variable with every setting. */
function isMistypedFor(name: string, setting: string): boolean {
  const mistakesMax = name.length <= 6 ? 1 : 2
  return Math.abs(name.length - setting.length) <= mistakesMax && distance(name, setting) <= mistakesMax
}

function hintFor(name: string): string {
  return `Did you mean ${nearestTo(name)}?`
}

function familyOf(name: string): string {
  const end = name.indexOf('_')
  return end === -1 ? '' : name.slice(0, end)
}

/** Other programs also read settings of these families, so a name that we do not know is no mistake. */
const shared = ['', 'OTEL']
const families = new Set(settingNames.map(familyOf).filter((family) => !shared.includes(family)))

function nearestTo(name: string): string {
  const wanted = name.toUpperCase()
  return settingNames.reduce((best, one) => (distance(wanted, one) < distance(wanted, best) ? one : best))
}

/** Counts the letters that were left out, added, changed, or exchanged with their neighbor. */
function distance(from: string, to: string): number {
  let before: number[] = []
  let last = Array.from({ length: to.length + 1 }, (_, index) => index)
  for (let row = 1; row <= from.length; row++) {
    const current = [row]
    for (let column = 1; column <= to.length; column++) {
      const same = from[row - 1] === to[column - 1]
      const exchanged = row > 1 && column > 1 && from[row - 1] === to[column - 2] && from[row - 2] === to[column - 1]
      current[column] = Math.min(
        at(last, column) + 1,
        at(current, column - 1) + 1,
        at(last, column - 1) + (same ? 0 : 1),
        exchanged ? at(before, column - 2) + 1 : Infinity,
      )
    }
    before = last
    last = current
  }
  return at(last, to.length)
}

function at(row: number[], column: number): number {
  return row[column] ?? Infinity
}

/** Returns the settings of this process, with a warning for each valid one that is probably a mistake. */
export function readSettings({ rails }: { rails: boolean }): { config: Config; warnings: string[] } {
  const sources = readAll()
  const config = parseConfig(joinSources(sources), { terminal: process.stdout.isTTY, rails })
  return {
    config,
    warnings: [
      ...settingWarnings(sources, namedInRailsFile(joinSources(sources)['RAILS_FILE'])),
      ...railsFileWarnings(config),
      ...routeWarnings(config.rails),
      ...mailWarnings(config),
    ],
  }
}

/**
 * Returns the variables that RAILS_FILE names: its values that begin with `$`. Ignores a file that cannot be read,
 * because reading the rails reports it.
 */
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
  return [`${railsFile} contains provider keys and other users can read it. Run: chmod 600 ${railsFile}`]
}

/**
 * An unknown bank in `except` excludes no payment, so that bank's payouts go to the rail that the operator wanted to
 * exclude. Unknown names do not stop a start, because an older release may know fewer banks than the file names.
 */
export function routeWarnings(file: Pick<RailsFile, 'routes'> = { routes: {} }): string[] {
  return allRoutes(file.routes)
    .flatMap(({ environment, currency, port, led }) =>
      led.flatMap((route, index) =>
        unknownNames(route, currency, port.startsWith('momo')).map(
          (fault) => `RAILS_FILE: routes.${environment}.${currency}.${port}.${index} names ${fault}`,
        ),
      ),
    )
    .slice(0, warningsMax)
}

/** On a port of mobile money, all lists of slugs name operators, because a route compares them with the payee. */
function unknownNames(route: RailRoute, currency: Currency, isMobileMoney: boolean): string[] {
  const { banks = { only: [] }, operators: named = [], countries = [] } = route
  const operators = listOperators({ currency })
  const slugs = [...('only' in banks ? banks.only : banks.except), ...named]
  const faultsOfSlugs = isMobileMoney
    ? slugs
        .filter((slug) => operators.every((one) => one.slug !== slug))
        .map((slug) => {
          const near = operators.filter((one) => isMistypedFor(slug, one.slug))
          return `${slug}, which is not the slug of an operator with ${currency}.${meant(near)}`
        })
    : slugs
        .filter((slug) => findBank(slug) === undefined)
        .map((slug) => `${slug}, which is not the slug of a bank.${meant(nearestBanks(slug))}`)
  const known = isMobileMoney ? operators.map(({ country }) => country) : ['NG']
  return [
    ...faultsOfSlugs,
    ...countries
      .filter((country) => !known.includes(country))
      .map((country) => `${country}, which is not a country with ${currency}.`),
  ]
}

function meant(near: readonly { slug: string }[]): string {
  return near.length === 0 ? '' : ` Did you mean ${near.map(({ slug }) => slug).join(' or ')}?`
}

function mailWarnings(config: Config): string[] {
  const { mailServer, mailFrom, dashboard, port } = config
  if (mailServer === undefined && mailFrom === undefined) return []
  if (mailFrom === undefined) return ['SMTP_URL is set and MAIL_FROM is not, so no e-mails are sent. Set both.']
  if (mailServer === undefined) return ['MAIL_FROM is set and SMTP_URL is not, so no e-mails are sent. Set both.']
  if (!dashboard || !dashboardUrlOf(config, port).startsWith('http://localhost')) return []
  return ['DASHBOARD_URL is not set, so the links in e-mails lead to localhost.']
}

const printed = new Set<string>()

/**
 * Reads the settings of a command and prints their warnings. A fault in RAILS_FILE stops only commands that use rails.
 */
export function readConfig(uses = { rails: false }): Config {
  const { config, warnings } = readSettings(uses)
  for (const warning of warnings.filter((one) => !printed.has(one))) {
    printed.add(warning)
    process.stderr.write(`Warning: ${warning}\n`)
  }
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
