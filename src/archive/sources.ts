// All kinds of rows that are archived.

import { events } from './events.ts'
import { movements } from './movements.ts'
import type { ArchiveSource, ArchiveSourceName } from './source.ts'

export const nouns: Record<ArchiveSourceName, ArchiveSource> = { movements, events }
