// The vectors of sdk/vectors/ and the server that plays them.

import { spawn } from 'node:child_process'
import { readFileSync } from 'node:fs'
import path from 'node:path'
import { afterAll } from 'vitest'

const folder = path.resolve(import.meta.dirname, '../../sdk/vectors')

export type Json = Record<string, any> // oxlint-disable-line typescript/no-explicit-any

export type Step = { request?: string; status?: number; headers?: Record<string, string> } & Json

export type Scenario = {
  name: string
  options?: Json
  call: { operation: string; path?: Json; query?: Json; body?: Json } & Json
  script: Step[]
  expected: { requests: string[] } & Json
}

export type Recorded = {
  request: string
  query: Record<string, string>
  headers: Record<string, string>
  body: string | null
}

export function readVectors(name: string): Json {
  return JSON.parse(readFileSync(path.join(folder, `${name}.json`), 'utf8')) as Json
}

export function scenariosOf(name: string): Scenario[] {
  return readVectors(name)['scenarios'] as Scenario[]
}

export type Played = { baseUrl: string; end: () => Promise<{ requests: Recorded[]; unexpected: number; left: number }> }

/** Starts the server of the vectors for a test file, and ends it with the file. */
export async function useScriptServer(): Promise<(steps: Step[]) => Promise<Played>> {
  const child = spawn(process.execPath, [path.join(folder, 'server.mjs'), '--port', '0'], {
    stdio: ['pipe', 'pipe', 'inherit'],
  })
  afterAll(() => child.stdin.end())
  const address = await new Promise<string>((resolve, reject) => {
    child.stdout.once('data', (line) => resolve(String(line).trim()))
    child.once('error', reject)
  })
  const ask = async (method: string, place: string, body?: Json): Promise<Json> => {
    const init = body === undefined ? { method } : { method, body: JSON.stringify(body) }
    return (await (await fetch(`${address}${place}`, init)).json()) as Json
  }
  return async (steps) => {
    const { id, baseUrl } = await ask('POST', '/__scripts', { steps })
    return { baseUrl, end: async () => (await ask('DELETE', `/__scripts/${id}`)) as Awaited<ReturnType<Played['end']>> }
  }
}
