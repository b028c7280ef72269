import { ApiError } from '#base/error.ts'
import { apiVersion } from '#http/envelope.ts'

/** `X-API-Version` selects a version; absent or empty means the latest stable one. There is one. */
export function checkVersion(header: string | string[] | undefined): void {
  const asked = (Array.isArray(header) ? header.join(',') : (header ?? '')).trim().toLowerCase()
  if (asked !== '' && asked !== apiVersion) {
    throw new ApiError('UNSUPPORTED_API_VERSION', `Supported versions: ${apiVersion}`)
  }
}
