// Builds the dashboard ahead into dist/dashboard, for images: `npm run build`. A service that finds it there, made of the
// sources that it has, builds nothing when it starts.

import { buildAhead } from '#building/ahead.ts'
import { builtAhead } from '#building/sources.ts'

await buildAhead(new AbortController().signal)
console.log(`the dashboard is built in ${builtAhead}`)
