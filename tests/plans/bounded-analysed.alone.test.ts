// As bounded.test.ts, for the planner that knows tables as they were when they were young. A file of its own, since each of the
// two lives through days, most of which it waits.

import { it } from 'vitest'
import { expectDaysAlike } from './grown.ts'

it('a day costs what it cost when it goes on in tables that were analysed while they were young, and then again', async () => {
  await expectDaysAlike({ analysedYoung: true })
})
