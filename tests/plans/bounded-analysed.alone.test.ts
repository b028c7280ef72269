// Runs bounded.alone.test.ts with statistics that PostgreSQL took when the tables were young. Each of the two has a file of
// its own, because both run through days and mostly wait.

import { it } from 'vitest'
import { expectDaysAlike } from './grown.ts'

it('a day costs what it cost when it goes on in tables that were analysed while they were young, and then again', async () => {
  await expectDaysAlike({ analysedYoung: true })
})
