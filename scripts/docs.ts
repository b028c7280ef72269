// `npm run docs`: writes the documentation as files that any web server can serve and any browser can open. They are the pages
// that the service serves at /docs, with links between the files.

import { copyFile, mkdir, rm, writeFile } from 'node:fs/promises'
import path from 'node:path'
import { createSite, docsFolder, pageNames, postmanFile, startPage, vectors } from '#api/docs/site.ts'

const root = path.resolve(import.meta.dirname, '..')

export async function writeSite(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
  await mkdir(path.join(folder, 'vectors'), { recursive: true })
  const isFile = (name: string): boolean => /\.\w+$/.test(name)
  const fileOf = (name: string): string =>
    name === startPage ? 'index.html' : `${name.replaceAll('/', '-')}${isFile(name) ? '' : '.html'}`
  const site = createSite({
    addressOf: (name) => (name.endsWith('.json') ? name : fileOf(name)),
    openApi: 'openapi.json',
    stagingUrl: 'http://127.0.0.1:4000/staging',
    productionUrl: 'http://127.0.0.1:4000/production',
    canTryOut: false,
  })
  for (const name of pageNames()) await writeFile(path.join(folder, fileOf(name)), await site.page(name))
  await writeFile(path.join(folder, 'search.js'), await site.searchIndex())
  const assets = path.join(root, 'src/api/docs/assets')
  for (const name of ['style.css', 'site.js']) await copyFile(path.join(assets, name), path.join(folder, name))
  for (const name of ['openapi.json', postmanFile, ...vectors.map((vector) => `vectors/${vector}.json`)]) {
    await copyFile(path.join(docsFolder, name), path.join(folder, name))
  }
}

if (import.meta.main) {
  const folder = path.join(root, 'dist/docs')
  await writeSite(folder)
  console.log(`wrote ${path.relative(root, folder)}; open ${path.relative(root, folder)}/index.html`)
}
