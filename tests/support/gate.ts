// The gate that test files pass one by one, where something is killed between them. After a number of files it lets no
// file in until the running ones have ended, the strike is done and everything works again. So each file finds a
// working database that has been through a failure. Files run in several processes, so the gate is a socket; a process
// that dies has left the gate.

import { createServer, connect, type Socket } from 'node:net'

export type Gate = {
  /** The number of files that wait at the gate. */
  waiting(): number
  close(): void
}

export type GateOptions = {
  /** The path of its socket. */
  address: string
  /** It strikes after each so many files. */
  filesBetween: number
  /** The most strikes of a run. */
  times: number
  strike(): Promise<void>
}

const come = 'come'

export async function openGate({ address, filesBetween, times, strike }: GateOptions): Promise<Gate> {
  const waiting: Socket[] = []
  let [inside, passed, struck, shut] = [0, 0, 0, false]
  /** After a failed repair no file passes any more. */
  let failure: string | undefined

  function admit(file: Socket): void {
    if (shut) return void waiting.push(file)
    if (failure !== undefined) return void file.end(failure)
    inside += 1
    passed += 1
    file.once('close', () => void leave())
    file.write(come)
    shut = passed % filesBetween === 0 && struck < times
  }

  async function leave(): Promise<void> {
    inside -= 1
    if (!shut || inside > 0) return
    await strike().catch((error: unknown) => (failure = String(error)))
    struck += 1
    shut = false
    for (const file of waiting.splice(0)) admit(file)
  }

  const server = createServer((file) => {
    file.on('error', () => undefined).resume()
    admit(file)
  })
  await new Promise<void>((resolve) => void server.listen(address, resolve))
  return { waiting: () => waiting.length, close: () => void server.close() }
}

/** Resolves when a file may begin, with a function that says that it has ended. */
export async function passGate(address: string): Promise<() => void> {
  const file = connect(address).on('error', () => undefined)
  const [said, why] = await new Promise<[string, Error?]>((resolve) => {
    file.once('data', (answer) => resolve([answer.toString()]))
    file.once('error', (error) => resolve(['', error]))
  })
  if (said !== come) throw new Error(`what the tests stand on is not whole: ${said}`, { cause: why })
  return () => void file.destroy()
}

/**
 * Ends the turn of the file that this process runs; a process runs one at a time. A file that could not be loaded does
 * not report its end itself.
 */
let leave: (() => void) | undefined

export async function passWithNextFile(address: string): Promise<() => void> {
  leave?.()
  leave = await passGate(address)
  return leave
}
