// The Python SDK: the shared vectors, its fake and its receivers, and a journey against the whole service.

import { spawnSync } from 'node:child_process'
import { describe, expect, it } from 'vitest'
import { useService } from '#tests/support/service.ts'
import { pythonFolder, pythonMissing, runPython } from './python.ts'

describe.skipIf(pythonMissing !== undefined)(
  `the Python SDK${pythonMissing === undefined ? '' : `: ${pythonMissing}`}`,
  async () => {
    const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

    it('passes the shared vectors, and its fake and its receivers do what they say', async () => {
      const { code, text } = await runPython('python3', ['-m', 'unittest', 'discover', '-s', 'tests'])
      expect(text).toMatch(/Ran [1-9]\d* tests/)
      expect(code, text).toBe(0)
    })

    it('takes money for an order, pays it out, and gets the events of both', async () => {
      const settings = { MANILLA_API_KEY: service.testKey, MANILLA_BASE_URL: `${service.url}/staging` }
      const { code, text } = await runPython('python3', ['tests/journey.py'], settings)
      expect([text.trim(), code]).toEqual(['done', 0])
    })

    it('needs nothing but the standard library', () => {
      const imports = spawnSync('grep', ['-rhoE', '^(from|import) [a-z_]+', 'src/manilla'], { cwd: pythonFolder })
      const names = new Set(
        imports.stdout
          .toString()
          .split('\n')
          .map((line) => line.split(' ')[1] ?? ''),
      )
      // Only the helper module of each framework may import that framework.
      const frameworks = ['django', 'flask', 'starlette']
      const known = spawnSync('python3', ['-c', 'import sys; print(*sys.stdlib_module_names)'])
      const standard = new Set([...known.stdout.toString().trim().split(' '), ...frameworks, ''])
      expect([...names].filter((name) => !standard.has(name))).toEqual([])
    })
  },
)
