// All that is archived.

import { events } from './events.ts'
import { movements } from './movements.ts'
import type { Noun, NounName } from './noun.ts'

export const nouns: Record<NounName, Noun> = { movements, events }
