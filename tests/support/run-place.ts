// The folder in which a run of the tests writes. A copy of a database is some three hundred files, and a run makes and
// deletes hundreds of copies: in memory that costs a tenth of the processor time that it costs on some disks. Nothing
// that a run writes outlives it, and a test that kills PostgreSQL does not kill the kernel, so memory loses nothing
// that a disk would keep.

import { existsSync, readFileSync, statfsSync } from 'node:fs'
import { freemem, tmpdir } from 'node:os'

const memory = '/dev/shm'
/** A run of all tests holds less than a third of this at once, so there is room for another run beside it. */
const roomBytes = 6 * 2 ** 30

/** Used unless a setting names the temporary folder. */
export function placeOfRuns(): string {
  return process.env['TMPDIR'] === undefined && hasRoomInMemory() ? memory : tmpdir()
}

/** Folders of earlier runs may be here, so it is searched however little room there is now. */
export function placesOfDeadRuns(): string[] {
  const places = process.env['TMPDIR'] === undefined ? [memory, tmpdir()] : [tmpdir()]
  return places.filter((place) => existsSync(place))
}

function hasRoomInMemory(): boolean {
  if (!isMemoryForPrograms(mounts())) return false
  const { bavail, bsize } = statfsSync(memory)
  return Math.min(bavail * bsize, freemem()) >= roomBytes
}

/** A container may forbid programs to run from this folder, and tests run some there. */
export function isMemoryForPrograms(mounted: string): boolean {
  const [, , type, options] =
    mounted
      .split('\n')
      .map((line) => line.split(' '))
      .findLast(([, place]) => place === memory) ?? []
  return type === 'tmpfs' && options !== undefined && !/\b(noexec|ro)\b/.test(options)
}

/** Only Linux has such a file and such a folder. */
function mounts(): string {
  try {
    return readFileSync('/proc/self/mounts', 'utf8')
  } catch {
    return ''
  }
}
