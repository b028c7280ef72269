// The Python SDK with packages of a package index: its types under mypy, its helpers in the frameworks, and its
// package.

import { cp, readdir } from 'node:fs/promises'
import path from 'node:path'
import { expect, it, type TestContext } from 'vitest'
import { fetched } from '#tests/openapi/tools.ts'
import { newFolder } from '#tests/support/run.ts'
import { pythonFolder, pythonMissing, runPython } from './python.ts'

/** With `setuptools`, the build needs no second download. */
const tools = ['mypy', 'django-stubs', 'build', 'setuptools>=68', 'fastapi', 'flask', 'django', 'httpx']

async function toolFolder(context: TestContext): Promise<string> {
  if (pythonMissing !== undefined) context.skip(pythonMissing)
  const folder = await newFolder('python')
  await runPython('python3', ['-m', 'venv', folder])
  await fetched(context, folder, 'bin/pip', 'install', '--quiet', ...tools)
  return path.join(folder, 'bin')
}

it('is typed strictly, works in three frameworks, and is built as wheel and source', async (context) => {
  const bin = await toolFolder(context)
  const python = path.join(bin, 'python')
  const typed = ['--strict', '-p', 'manilla', '--cache-dir', '/dev/null']
  expect(await runPython(path.join(bin, 'mypy'), typed)).toMatchObject({ code: 0 })
  const caller = ['--strict', '--cache-dir', '/dev/null', 'tests/journey.py', 'tests/test_receivers.py']
  expect(await runPython(path.join(bin, 'mypy'), caller, { MYPYPATH: 'src' })).toMatchObject({ code: 0 })
  const receivers = await runPython(python, ['-W', 'ignore', '-m', 'unittest', 'tests/test_receivers.py'])
  expect(receivers.text).not.toContain('skipped')
  expect(receivers.code, receivers.text).toBe(0)

  const [source, out] = [await newFolder('python-source'), await newFolder('python-package')]
  await cp(pythonFolder, source, { recursive: true }) // The build writes beside its sources, so it works on a copy.
  const built = await runPython(python, ['-m', 'build', '--no-isolation', '--outdir', out, source])
  expect(built.code, built.text).toBe(0)
  const wheel = (await readdir(out)).find((name) => name.endsWith('.whl')) ?? ''
  expect((await readdir(out)).toSorted()).toEqual([wheel, 'manilla-0.1.0.tar.gz'].toSorted())
  const clean = await newFolder('python-clean')
  await runPython('python3', ['-m', 'venv', path.join(clean, 'venv')])
  const cleanPython = path.join(clean, 'venv/bin/python')
  const alone = { PYTHONPATH: '' }
  const pip = ['-m', 'pip', 'install', '--quiet', '--no-index', path.join(out, wheel)]
  expect(await runPython(cleanPython, pip, alone)).toMatchObject({ code: 0 })
  const used = await runPython(cleanPython, ['-c', 'import manilla; print(manilla.naira("1,500.00"))'], alone)
  expect(used).toEqual({ code: 0, text: '150000\n' })
})
