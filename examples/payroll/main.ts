// npx node --conditions=@manilla/source examples/payroll/main.ts 2026-11 examples/payroll/salaries.csv

import { readFile } from 'node:fs/promises'
import { Manilla } from '@manilla/sdk'
import { payAll, readSalaries, reportOf } from './payroll.ts'

const [month = '', file = ''] = process.argv.slice(2)
if (!/^\d{4}-\d{2}$/.test(month) || file === '') {
  console.error('Usage: main.ts YYYY-MM SALARIES.csv')
  process.exit(2)
}
const manilla = new Manilla({ apiKey: process.env['MANILLA_API_KEY'] ?? '' })
const outcomes = await payAll(manilla, month, readSalaries(await readFile(file, 'utf8')))
console.log(reportOf(outcomes))
process.exitCode = outcomes.every(({ status }) => status === 'paid') ? 0 : 1
