// `npm run bench`: runs the named scenarios, or all, and exits with 1 if one misses its target or a request fails.

import { readdir } from 'node:fs/promises'
import path from 'node:path'
import { readOptions, refuse, wholeNumber } from '#scripts/options.ts'
import { profileFolder, withBench } from './bench.ts'
import { measure } from './measure.ts'
import { clearProfiles, printProfile } from './profile.ts'
import { printTable, write } from './report.ts'
import type { Scenario } from './scenario.ts'
import { sustain } from './sustain.ts'
import { verdicts } from './targets.ts'

const known = (await readdir(path.join(import.meta.dirname, 'scenarios')))
  .map((file) => file.replace(/\.ts$/, ''))
  .toSorted()

const usage = `npm run bench [-- SCENARIO … OPTION …]: measure the service beside an echo server; see bench/README.md

  --seconds 10          length of each round (default: 10, longer in scenarios about sustained load)
  --rounds 3            number of rounds (default: 3)
  --connections 1,256   numbers of connections, each measured alone
  --profile             print where the service spends its processor time
  --units 100000        send so many requests: the cost of each, and whether the rate holds
  --without-figures     with --units: do not count the dashboard's figures

Scenarios: ${known.join(', ')}`

const { values, positionals } = readOptions(usage, {
  allowPositionals: true,
  options: {
    seconds: { type: 'string' },
    rounds: { type: 'string', default: '3' },
    connections: { type: 'string' },
    profile: { type: 'boolean', default: false },
    units: { type: 'string' },
    'without-figures': { type: 'boolean', default: false },
  },
})
const settings = {
  seconds: wholeNumber('seconds', values.seconds ?? '10'),
  sustains: values.seconds === undefined,
  rounds: values.profile ? 1 : wholeNumber('rounds', values.rounds),
  profile: values.profile,
  withoutFigures: values['without-figures'],
}
const units = values.units === undefined ? undefined : wholeNumber('units', values.units)
if (settings.withoutFigures && units === undefined)
  refuse('Use --without-figures only with --units, whose results are not stored: such a service does not exist.')
for (const name of positionals.filter((wanted) => !known.includes(wanted))) {
  refuse(`There is no scenario ${name}. There are: ${known.join(', ')}`)
}

for (const name of positionals.length === 0 ? known : positionals) await runScenario(name)

async function runScenario(name: string): Promise<void> {
  const imported = (await import(`./scenarios/${name}.ts`)) as { scenario: Scenario }
  const connections = values.connections?.split(',').map((text) => wholeNumber('connections', text))
  const scenario = { ...imported.scenario, ...(connections === undefined ? {} : { connections }) }
  console.log(`\n${name}: ${scenario.title}`)
  if (settings.profile) await clearProfiles(profileFolder)
  const told = { settings, say: (text: string) => console.error(text) }
  if (units !== undefined) return withBench(name, scenario, told, (bench, peers) => sustain(bench, peers, units))
  const measured = await withBench(name, scenario, told, measure)
  printTable(measured)
  if (settings.profile) return printProfile(profileFolder) // The profiler slows the service down, so these figures are not stored.
  console.log(`written to ${await write(name, scenario, measured, settings)}`)
  for (const { reached, sentence } of verdicts(scenario.targets, measured)) {
    console.log(`${reached ? 'reached' : 'MISSED'}: ${sentence}`)
    if (!reached) process.exitCode = 1
  }
}
