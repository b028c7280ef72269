// Packs the service as manilla-VERSION.tgz: the files that package.json names, with the TypeScript of the service and of the SDK
// turned into JavaScript, because Node does not strip types from files below node_modules, where npm installs a package.

import { spawnSync } from 'node:child_process'
import { cpSync, globSync, mkdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { stripTypeScriptTypes } from 'node:module'
import path from 'node:path'

const root = path.resolve(import.meta.dirname, '..')
const folder = path.join(root, 'dist', 'package')

rmSync(folder, { recursive: true, force: true })
mkdirSync(path.join(root, 'dist'), { recursive: true })
// npm leaves the lock file out of a package, and scripts/install.js restores it from this copy.
cpSync(path.join(root, 'package-lock.json'), path.join(root, 'dist', 'package-lock.json'))
const { files } = JSON.parse(readFileSync(path.join(root, 'package.json'), 'utf8')) as { files: string[] }
for (const name of [...files, 'package.json', 'README.md', 'LICENSE', '.npmrc']) {
  cpSync(path.join(root, name), path.join(folder, name), { recursive: true })
}
for (const name of globSync('{src,sdk}/**/*.ts', { cwd: folder })) {
  const file = path.join(folder, name)
  writeFileSync(file.replace(/\.ts$/, '.js'), javaScriptOf(readFileSync(file, 'utf8')))
  rmSync(file)
}
for (const name of globSync('src/**/*.js', { cwd: folder })) {
  const file = path.join(folder, name)
  writeFileSync(file, withNewNames(readFileSync(file, 'utf8')))
}
const packed = spawnSync('npm', ['pack', '--silent', folder], { cwd: root, stdio: ['ignore', 1, 2] })
process.exitCode = packed.status ?? 1

function javaScriptOf(source: string): string {
  return withNewNames(stripTypeScriptTypes(source))
}

/** Renames the imports of our own files from .ts to .js: `from '#cli/output.ts'`, `import('./archive.ts')`. */
function withNewNames(source: string): string {
  return source.replaceAll(/((?:from|import)\s*\(?\s*'(?:#|\.\/)[^'\n]*)\.ts'/g, "$1.js'")
}
