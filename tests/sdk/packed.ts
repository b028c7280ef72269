// Packs the SDKs as their registries have them, without writing into their folders.

import { execFile } from 'node:child_process'
import { cp, mkdir, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { promisify } from 'node:util'
import { newFolder } from '#tests/support/run.ts'

const root = path.resolve(import.meta.dirname, '../..')
const run = promisify(execFile)

export const packedFiles = ['package.json', 'README.md', 'CHANGELOG.md', 'LICENSE']

/** A folder with the contents of `npm pack`: the manifest's files, compiled. */
export async function builtTypeScript(): Promise<string> {
  const [folder, source] = [await newFolder('sdk'), path.join(root, 'sdk/typescript')]
  await Promise.all(packedFiles.map((file) => cp(path.join(source, file), path.join(folder, file))))
  const tsc = path.join(root, 'node_modules/.bin/tsc')
  await run(tsc, ['-p', path.join(source, 'tsconfig.build.json'), '--outDir', path.join(folder, 'dist')], { cwd: root })
  return folder
}

export async function packedTypeScript(): Promise<string> {
  const folder = await builtTypeScript()
  const { stdout } = await run('npm', ['pack', '--ignore-scripts', '--silent'], { cwd: folder })
  return path.join(folder, stdout.trim())
}

/** A folder with the wheel, or the reason why this machine cannot build it. */
export async function packedPython(): Promise<{ folder: string; missing?: string }> {
  const [folder, source] = [await newFolder('wheel'), await newFolder('python-source')]
  await cp(path.join(root, 'sdk/python'), source, { recursive: true }) // The build writes beside its sources, so it works on a copy.
  try {
    await run('python3', ['-m', 'pip', 'wheel', '--quiet', '--no-deps', '--wheel-dir', folder, source])
    return { folder }
  } catch (error) {
    return { folder, missing: `the wheel cannot be built here: ${String(error)}` }
  }
}

/** Packages of PHP and Go are tags of a repository. */
async function taggedRepository(language: string): Promise<string> {
  const folder = await newFolder(language)
  await cp(path.join(root, 'sdk', language), folder, { recursive: true })
  const git = (...options: string[]): Promise<unknown> => run('git', ['-C', folder, ...options])
  await git('init', '--quiet')
  await git('add', '.')
  await git('-c', 'user.name=Test', '-c', 'user.email=test@example.com', 'commit', '--quiet', '-m', 'Release')
  await git('tag', 'v0.1.0')
  return folder
}

/** A Composer home that knows this package and no registry. */
export async function packedPhp(): Promise<string> {
  const [home, repository] = [await newFolder('composer'), await taggedRepository('php')]
  const repositories = [{ type: 'vcs', url: repository }, { 'packagist.org': false }]
  await writeFile(path.join(home, 'config.json'), JSON.stringify({ repositories }))
  return home
}

/** A module proxy as files. */
export async function packedGo(): Promise<string> {
  const [proxy, repository] = [await newFolder('proxy'), await taggedRepository('go')]
  const versions = path.join(proxy, 'manilla.dev/go/@v')
  await mkdir(versions, { recursive: true })
  const zip = ['--format=zip', '--prefix=manilla.dev/go@v0.1.0/', '-o', path.join(versions, 'v0.1.0.zip'), 'v0.1.0']
  await run('git', ['-C', repository, 'archive', ...zip])
  await cp(path.join(repository, 'go.mod'), path.join(versions, 'v0.1.0.mod'))
  await writeFile(path.join(versions, 'v0.1.0.info'), '{"Version":"v0.1.0","Time":"2026-01-01T00:00:00Z"}')
  await writeFile(path.join(versions, 'list'), 'v0.1.0\n')
  return proxy
}
