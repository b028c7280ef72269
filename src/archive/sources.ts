// All kinds of rows that are archived.

import { events } from './events.ts'
import { movements } from './movements.ts'
import type { Noun, NounName } from './source.ts'

export const nouns: Record<NounName, Noun> = { movements, events }
