// Builds the dashboard ahead into dist/dashboard, for images: `npm run build`. A service that finds it there, made of the
// sources that it has, builds nothing when it starts.

import { mkdir, rm } from 'node:fs/promises'
import path from 'node:path'
import { buildInto } from '#building/build.ts'
import { builtAhead, fingerprintSources } from '#building/sources.ts'

const fingerprint = await fingerprintSources()
await rm(builtAhead, { recursive: true, force: true })
await mkdir(path.dirname(builtAhead), { recursive: true })
await buildInto(builtAhead, fingerprint, new AbortController().signal)
console.log(`built the dashboard into ${builtAhead}`)
