// Who runs a command, for the audit log.

import os from 'node:os'
import type { Actor } from '#base/context.ts'

/** As far as the machine knows. */
export function atTerminal(): Actor {
  return { kind: 'terminal', name: `${userName()}@${os.hostname()}` }
}

function userName(): string {
  try {
    return os.userInfo().username
  } catch {
    return `user ${process.getuid?.() ?? 'unknown'}` // In a container a user may have no name.
  }
}
