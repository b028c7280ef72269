// The files of the project as the house rules see them: committed files and those that would be.

import { readFile, readdir } from 'node:fs/promises'
import path from 'node:path'

export type File = { path: string; text: string; bytes: number; binary: boolean }

export type Tree = File[]

const root = path.resolve(import.meta.dirname, '../..')

export async function readTree(): Promise<Tree> {
  const ignored = await ignoredNames()
  const files: Tree = []
  async function walk(folder: string): Promise<void> {
    for (const entry of await readdir(path.join(root, folder), { withFileTypes: true })) {
      const place = path.posix.join(folder, entry.name)
      if (ignored(entry.name)) continue
      if (entry.isDirectory()) await walk(place)
      else if (entry.isFile()) files.push(fileOf(place, await readFile(path.join(root, place))))
    }
  }
  await walk('')
  return files.toSorted((left, right) => (left.path < right.path ? -1 : 1))
}

/** A tree for trying a rule out. */
export function sampleTree(files: Record<string, string>): Tree {
  return Object.entries(files).map(([name, text]) => fileOf(name, Buffer.from(text)))
}

export function textOf(tree: Tree, name: string): string {
  return tree.find((file) => file.path === name)?.text ?? ''
}

function fileOf(name: string, content: Buffer): File {
  return { path: name, text: content.toString('utf8'), bytes: content.length, binary: content.includes(0) }
}

/** .gitignore has only names and `*.ending`, and this reads nothing else. */
async function ignoredNames(): Promise<(name: string) => boolean> {
  const lines = (await readFile(path.join(root, '.gitignore'), 'utf8'))
    .split('\n')
    .map((line) => line.replace(/\/$/, ''))
  const names = new Set(['.git', ...lines])
  const endings = lines.filter((line) => line.startsWith('*')).map((line) => line.slice(1))
  return (name) => names.has(name) || endings.some((ending) => name.endsWith(ending))
}
