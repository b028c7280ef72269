// Prints where the service spent its processor time: the functions at the top of the stack in a .cpuprofile, by their share of
// the busy time.

import { readFile, readdir, rm } from 'node:fs/promises'
import path from 'node:path'

type Node = { id: number; callFrame: { functionName: string; url: string; lineNumber: number } }
type Profile = { nodes: Node[]; samples: number[]; timeDeltas: number[] }

const rowsMax = 40
const idle = new Set(['(idle)', '(program)', '(root)'])

export async function printProfile(folder: string): Promise<void> {
  const [name] = (await readdir(folder)).filter((file) => file.endsWith('.cpuprofile'))
  if (name === undefined) throw new Error('the service left no profile')
  const file = path.join(folder, name)
  const profile = JSON.parse(await readFile(file, 'utf8')) as Profile
  const costs = new Map<string, number>()
  const nodes = new Map(profile.nodes.map((node) => [node.id, node]))
  profile.samples.forEach((id, index) => {
    const node = nodes.get(id)
    if (node === undefined || node.callFrame.functionName === '(idle)') return
    const label = labelOf(node)
    costs.set(label, (costs.get(label) ?? 0) + (profile.timeDeltas[index] ?? 0))
  })
  const total = [...costs.values()].reduce((sum, cost) => sum + cost, 0)
  const top = [...costs].toSorted(([, left], [, right]) => right - left).slice(0, rowsMax)
  for (const [label, cost] of top) console.log(`${((100 * cost) / total).toFixed(1).padStart(5)} %  ${label}`)
  console.log(`The whole profile, for Chrome's developer tools: ${file}`)
}

export async function clearProfiles(folder: string): Promise<void> {
  await rm(folder, { recursive: true, force: true })
}

function labelOf({ callFrame: { functionName, url, lineNumber } }: Node): string {
  if (idle.has(functionName)) return functionName
  const place = url.replace(/^.*\/(?=(src|node_modules)\/)/, '')
  return `${functionName === '' ? '(anonymous)' : functionName}  ${place}${url === '' ? '' : `:${lineNumber + 1}`}`
}
