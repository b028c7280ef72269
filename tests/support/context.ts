// The context of a module, for tests that call a module without HTTP.

import { theService, type Context } from '#platform/context.ts'
import type { Db } from '#platform/db/db.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { createFakeClock, type FakeClock } from './clock.ts'
import { quietLog } from './database.ts'

export type TestContext = Context & { clock: FakeClock }

export function createTestContext(db: Db, clock = createFakeClock()): TestContext {
  return { db, clock, log: quietLog(), metrics: createMetrics(), by: theService }
}
