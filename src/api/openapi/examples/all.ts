// The examples of all operations, by operationId.

import type { Example } from '#api/openapi/example.ts'
import { balanceExamples } from './balance.ts'
import { customerExamples } from './customers.ts'
import { accountExamples, depositExamples } from './deposits.ts'
import { directoryExamples } from './directory.ts'
import { momoExamples } from './mobile-money.ts'
import { transferExamples } from './transfers.ts'
import { webhookExamples } from './webhooks.ts'

export const examples: Record<string, Example> = {
  ...depositExamples,
  ...customerExamples,
  ...accountExamples,
  ...transferExamples,
  ...momoExamples,
  ...directoryExamples,
  ...balanceExamples,
  ...webhookExamples,
}
