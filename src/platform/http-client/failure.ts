// Network failures, with messages that a customer may read.

export type NetFailureReason = 'timeout' | 'refused-address' | 'dns' | 'connect' | 'tls' | 'protocol' | 'aborted'

/** A failure that becomes a `NetResult`. `message` is public text. */
export class NetFailure extends Error {
  readonly reason: NetFailureReason

  constructor(reason: NetFailureReason, message: string) {
    super(message)
    this.reason = reason
  }
}

// Error codes of undici, with the messages that customers see.
const failures: [RegExp, NetFailureReason, string][] = [
  [/^UND_ERR_CONNECT_TIMEOUT$/, 'timeout', 'no connection was made in time'],
  [/^UND_ERR_(INVALID_ARG|NOT_SUPPORTED)$/, 'protocol', 'the request is not valid HTTP'],
  [/^UND_ERR_HEADERS_OVERFLOW$/, 'protocol', 'the headers of the answer are too large'],
  [/^(HTTPParserError$|HPE_|UND_ERR_RES)/, 'protocol', 'the answer is not valid HTTP/1.1'],
]

/** Messages may contain a code, never an address or a header, because those can be secrets of the operator. */
export function asFailure(error: unknown, url: URL, sent: boolean): NetFailure {
  if (error instanceof NetFailure) return error
  const code = codeOf(error)
  const known = failures.find(([codes]) => codes.test(code))
  if (known !== undefined) return new NetFailure(known[1], known[2])
  const inTcp =
    error instanceof AggregateError || (error instanceof Error && 'syscall' in error && error.syscall === 'connect')
  // With TLS 1.3 a server may reject the handshake after the client began to send.
  if (/^ERR_(SSL|TLS)/.test(code) || (!sent && !inTcp && url.protocol === 'https:')) {
    return new NetFailure('tls', `the TLS connection failed (${code})`)
  }
  if (!sent) return new NetFailure('connect', `no connection was made (${code})`)
  return new NetFailure('protocol', 'the connection was closed before the answer was complete')
}

export function codeOf(error: unknown): string {
  if (!(error instanceof Error)) return 'unknown error'
  return 'code' in error && typeof error.code === 'string' ? error.code : error.name
}
