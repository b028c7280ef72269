// What a room stands on, for tests that call a room without a door.

import { theService, type Context } from '#platform/context.ts'
import type { Db } from '#platform/db/db.ts'
import { createMetrics } from '#platform/observability/metrics.ts'
import { createFakeClock, type FakeClock } from './clock.ts'
import { quietLog } from './database.ts'

export type TestContext = Context & { clock: FakeClock }

export function createTestContext(db: Db, clock = createFakeClock()): TestContext {
  return { db, clock, log: quietLog(), metrics: createMetrics(), by: theService }
}
