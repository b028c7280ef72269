// Every command by its file. A file, and the part of the house that it imports, is read when its command is called:
// `audit list` starts in a third of the processor time that reading the HTTP server and every room would cost it.

export const listAuditCommand = later(async () => (await import('./audit.ts')).listAuditCommand)
export const verifyAuditCommand = later(async () => (await import('./audit.ts')).verifyAuditCommand)
export const createBusinessCommand = later(async () => (await import('./businesses.ts')).createBusinessCommand)
export const listBusinessesCommand = later(async () => (await import('./businesses.ts')).listBusinessesCommand)
export const eraseCustomerCommand = later(async () => (await import('./customers.ts')).eraseCustomerCommand)
export const showCustomerCommand = later(async () => (await import('./customers.ts')).showCustomerCommand)
export const adoptNoticeCommand = later(async () => (await import('./deposits.ts')).adoptNoticeCommand)
export const doctorCommand = later(async () => (await import('./doctor.ts')).doctorCommand)
export const closeExceptionCommand = later(async () => (await import('./exceptions.ts')).closeExceptionCommand)
export const listExceptionsCommand = later(async () => (await import('./exceptions.ts')).listExceptionsCommand)
export const createKeyCommand = later(async () => (await import('./keys.ts')).createKeyCommand)
export const listKeysCommand = later(async () => (await import('./keys.ts')).listKeysCommand)
export const revokeKeyCommand = later(async () => (await import('./keys.ts')).revokeKeyCommand)
export const rollKeyCommand = later(async () => (await import('./keys.ts')).rollKeyCommand)
export const verifyLedgerCommand = later(async () => (await import('./ledger.ts')).verifyLedgerCommand)
export const setLimitsCommand = later(async () => (await import('./limits.ts')).setLimitsCommand)
export const showLimitsCommand = later(async () => (await import('./limits.ts')).showLimitsCommand)
export const listenCommand = later(async () => (await import('./listen.ts')).listenCommand)
export const migrateCommand = later(async () => (await import('./migrate.ts')).migrateCommand)
export const settlePaymentCommand = later(async () => (await import('./payments.ts')).settlePaymentCommand)
export const pausePayoutsCommand = later(async () => (await import('./payouts.ts')).pausePayoutsCommand)
export const resumePayoutsCommand = later(async () => (await import('./payouts.ts')).resumePayoutsCommand)
export const listNoticesCommand = later(async () => (await import('./rail-notices.ts')).listNoticesCommand)
export const closeBreakCommand = later(async () => (await import('./rail-breaks.ts')).closeBreakCommand)
export const listBreaksCommand = later(async () => (await import('./rail-breaks.ts')).listBreaksCommand)
export const reconcileRailCommand = later(async () => (await import('./rail-breaks.ts')).reconcileRailCommand)
export const resumeRailCommand = later(async () => (await import('./rail-breaks.ts')).resumeRailCommand)
export const balanceRailsCommand = later(async () => (await import('./rails.ts')).balanceRailsCommand)
export const listRailsCommand = later(async () => (await import('./rails.ts')).listRailsCommand)
export const testRailCommand = later(async () => (await import('./rails.ts')).testRailCommand)
export const resealSecretsCommand = later(async () => (await import('./secrets.ts')).resealSecretsCommand)
export const serveCommand = later(async () => (await import('./serve.ts')).serveCommand)
export const triggerCommand = later(async () => (await import('./trigger.ts')).triggerCommand)

type Command<Words extends unknown[]> = (...words: Words) => Promise<void>

function later<Words extends unknown[]>(read: () => Promise<Command<Words>>): Command<Words> {
  return async (...words) => (await read())(...words)
}
