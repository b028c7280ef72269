// Starts to listen, and tells the operator how to fix what can go wrong.

import type { Server } from 'node:http'
import { createServer, type AddressInfo, type Server as NetServer } from 'node:net'
import { OperatorError } from '#platform/errors.ts'

const backlog = 1_024 // Connections that the kernel queues while the event loop is busy.

/**
 * A client may end its side of the connection after its request and still gets its response. Node drops the response
 * unless this property is set, which its types do not have.
 */
export function answerHalfClosed(server: Server): void {
  Object.assign(server, { httpAllowHalfOpen: true })
}

export function listen(server: NetServer, host: string, port: number, setting: string): Promise<number> {
  return new Promise((resolve, reject) => {
    const fail = (error: NodeJS.ErrnoException): void => reject(faultOf(error, host, port, setting))
    server.once('error', fail)
    server.listen({ host, port, backlog }, () => {
      server.off('error', fail)
      resolve((server.address() as AddressInfo).port)
    })
  })
}

/** Throws an error that tells the operator what to do if the port cannot be used now. */
export async function requirePort(host: string, port: number, setting: string): Promise<void> {
  const probe = createServer()
  await listen(probe, host, port, setting)
  await new Promise((resolve) => probe.close(resolve))
}

function faultOf(error: NodeJS.ErrnoException, host: string, port: number, setting: string): Error {
  if (error.code === 'EADDRINUSE') {
    return new OperatorError(
      `Port ${port} on ${host} is already in use. Stop what uses it, or set ${setting} to another port.`,
    )
  }
  if (error.code === 'EACCES')
    return new OperatorError(`Port ${port} needs more rights. Set ${setting} to one above 1023.`)
  if (error.code === 'EADDRNOTAVAIL' || error.code === 'ENOTFOUND' || error.code === 'EAI_AGAIN') {
    const hostSetting = setting.replace('PORT', 'HOST')
    return new OperatorError(
      `This machine has no address ${host}. Set ${hostSetting} to one that it has, such as 127.0.0.1.`,
    )
  }
  return error
}
