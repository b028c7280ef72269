// Extracts the code blocks of a guide, and runs those of one language as one program, because a later block uses what
// an earlier one made.

import { spawn, spawnSync } from 'node:child_process'
import { once } from 'node:events'
import { mkdir, readFile, symlink, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { newFolder } from '#tests/support/run.ts'

const root = path.resolve(import.meta.dirname, '../..')
const written = 'http://127.0.0.1:4000/staging'

export type Outcome = { code: number | null; text: string }

/** A running staging environment, and the key of a business that no other test uses. */
export type Staging = { key: string; baseUrl: string }

type Language = { missing: string | undefined; run: (blocks: string[], staging: Staging) => Promise<Outcome> }

/** `guide` is a file of docs/. Leaves out blocks that a comment excludes, with a reason. */
export async function blocksOf(guide: string, language: string): Promise<string[]> {
  const markdown = await readFile(path.join(root, 'docs', `${guide}.md`), 'utf8')
  const fences = markdown.matchAll(/(?<!^<!-- not run: .*\n)^```(\w+)\n([^]*?)^```$/gm)
  return [...fences].filter(([, name]) => name === language).map(([, , code = '']) => code)
}

/** The reason why this machine cannot run a program; undefined if it can. */
function missingProgram(program: string, ...test: string[]): string | undefined {
  return spawnSync(program, test).status === 0 ? undefined : `this machine has no ${program} that can run it`
}

async function run(
  program: string,
  options: string[],
  cwd: string,
  variables: Record<string, string>,
): Promise<Outcome> {
  const child = spawn(program, options, { cwd, env: { ...process.env, ...variables } })
  let text = ''
  for (const output of [child.stdout, child.stderr]) output.on('data', (chunk) => (text += String(chunk)))
  const [code] = (await once(child, 'close')) as [number | null]
  return { code, text }
}

const settingsOf = ({ key, baseUrl }: Staging): Record<string, string> => ({
  MANILLA_API_KEY: key,
  MANILLA_BASE_URL: baseUrl,
})

/** Placeholders, and where an earlier answer shows their values, which a reader fills in. */
const placeholders: Record<string, RegExp> = {
  ACCOUNT_NUMBER: /"accountNumber":"(\d{10})"/,
  DEPOSIT_REFERENCE: /"reference":"(DEP\w+)"/,
  TOP_UP_REFERENCE: /"reference":"(TOPUP-[\w-]+)"/,
  USER_ID: /"id":"([\da-f-]{36})"/,
}

/** Runs the blocks one after the other. `app`: the address of an example's program. */
export async function runShell(blocks: string[], staging: Staging, app = ''): Promise<Outcome> {
  const folder = await newFolder('curl')
  let text = ''
  for (const block of blocks) {
    const seen = Object.entries(placeholders).map(([name, form]) => [name, form.exec(text)?.[1] ?? ''] as const)
    const command = seen
      .reduce((filled, [name, value]) => filled.replaceAll(name, value), block)
      .replaceAll(written, staging.baseUrl)
      .replaceAll('http://127.0.0.1:3000', app === '' ? '$&' : app)
      .replaceAll(/^export MANILLA_.*$/gm, '')
      .replaceAll(/^curl /gm, 'curl -sS --fail-with-body ')
    const outcome = await run('sh', ['-ec', command], folder, settingsOf(staging))
    text += outcome.text
    if (outcome.code !== 0) return { code: outcome.code, text }
  }
  return { code: 0, text }
}

async function runTypeScript(blocks: string[], staging: Staging): Promise<Outcome> {
  const folder = await newFolder('typescript')
  await symlink(path.join(root, 'node_modules'), path.join(folder, 'node_modules'), 'junction')
  await writeFile(path.join(folder, 'package.json'), '{"type":"module"}')
  await writeFile(path.join(folder, 'main.ts'), blocks.join('\n'))
  const strict =
    '--noEmit --strict --exactOptionalPropertyTypes --skipLibCheck --target es2024 --module nodenext --types node'
  const options = [
    ...strict.split(' '),
    '--allowImportingTsExtensions',
    '--customConditions',
    '@manilla/source',
    'main.ts',
  ]
  const checked = await run(path.join(root, 'node_modules/.bin/tsc'), options, folder, {})
  if (checked.code !== 0) return checked
  return run(process.execPath, ['--conditions=@manilla/source', 'main.ts'], folder, settingsOf(staging))
}

async function runPython(blocks: string[], staging: Staging): Promise<Outcome> {
  const folder = await newFolder('python')
  await writeFile(path.join(folder, 'main.py'), blocks.join('\n'))
  const own = { PYTHONPATH: path.join(root, 'sdk/python/src'), PYTHONDONTWRITEBYTECODE: '1' }
  return run('python3', ['main.py'], folder, { ...settingsOf(staging), ...own })
}

async function runPhp(blocks: string[], staging: Staging): Promise<Outcome> {
  const folder = await newFolder('php')
  const sources = path.join(root, 'sdk/php/tests/load.php')
  await mkdir(path.join(folder, 'vendor'))
  await writeFile(path.join(folder, 'vendor/autoload.php'), `<?php\nrequire ${JSON.stringify(sources)};\n`)
  const code = blocks.join('\n')
  const beginning = code.startsWith('<?php') ? '' : "<?php\nrequire 'vendor/autoload.php';\n"
  await writeFile(path.join(folder, 'main.php'), `${beginning}${code}`)
  return run('php', ['main.php'], folder, settingsOf(staging))
}

const packages = ['context', 'errors', 'fmt', 'log', 'net/http', 'os', 'time']

export async function runGo(blocks: string[], staging: Staging): Promise<Outcome> {
  const folder = await newFolder('go')
  const code = blocks.join('\n')
  const isUsed = (name: string): boolean => new RegExp(`\\b${path.basename(name)}\\.`).test(code)
  const imports = packages.filter(isUsed).map((name) => `\t"${name}"`)
  // Go cannot declare a method within a function.
  const declares = (block: string): boolean => block.startsWith('type ')
  const [outside, inside] = [blocks.filter(declares), blocks.filter((block) => !declares(block))]
  if (code.includes('manillatest.')) imports.push('\t"manilla.dev/go/manillatest"')
  const head = `package main\n\nimport (\n${imports.join('\n')}\n\n\tmanilla "manilla.dev/go"\n)\n`
  const program = code.startsWith('package')
    ? code
    : `${head}\n${outside.join('\n')}\nfunc main() {\n${inside.join('\n')}}\n`
  const module = `module example\n\ngo 1.23\n\nrequire manilla.dev/go v0.0.0\n\nreplace manilla.dev/go => ${path.join(root, 'sdk/go')}\n`
  await writeFile(path.join(folder, 'go.mod'), module)
  await writeFile(path.join(folder, 'main.go'), program)
  const own = { GOTOOLCHAIN: 'local', GOPROXY: 'off', GOFLAGS: '-mod=mod' }
  return run('go', ['run', '.'], folder, { ...settingsOf(staging), ...own })
}

export const languages: Record<string, Language> = {
  sh: { missing: missingProgram('curl', '--version'), run: runShell },
  ts: { missing: undefined, run: runTypeScript },
  python: {
    missing: missingProgram('python3', '-c', 'import sys; sys.exit(sys.version_info < (3, 10))'),
    run: runPython,
  },
  php: {
    missing: missingProgram('php', '-r', 'exit(PHP_VERSION_ID >= 80100 && extension_loaded("curl") ? 0 : 1);'),
    run: runPhp,
  },
  go: { missing: missingProgram('go', 'version'), run: runGo },
}
