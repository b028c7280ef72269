// Metrics of the archive.

import { expect, it } from 'vitest'
import { exportArchive } from '#archive/archive.ts'
import { hourMs } from '#platform/durations.ts'
import { openBooks } from './books.ts'

const timeOf = (date: string): string => String(Date.parse(date) / 1_000)

it('show up to when months are sealed, how many rows the table still has, and how old they are', async () => {
  const books = await openBooks()
  exportArchive(books.ctx, () => Promise.resolve([1, 2]))
  const lines = async (): Promise<string[]> => {
    books.clock.advance(hourMs)
    return (await books.ctx.metrics.text()).split('\n').filter((line) => line.startsWith('manilla_archive_'))
  }
  expect(await lines()).toEqual([
    'manilla_archive_sealed_until_seconds{rows="movements"} 0',
    'manilla_archive_sealed_until_seconds{rows="events"} 0',
    'manilla_archive_rows_left{rows="movements"} 0',
    'manilla_archive_rows_left{rows="events"} 0',
    expect.stringMatching(/^manilla_archive_oldest_seconds\{rows="movements"\} 1768\d{6}/),
    expect.stringMatching(/^manilla_archive_oldest_seconds\{rows="events"\} 1768\d{6}/),
  ])
  const tell = (step: string): void => {
    if (step.startsWith('taking 2026-02')) throw new Error('cut off')
  }
  await expect(books.archive({ tell })).rejects.toThrow('cut off')
  const [, february] = await books.months()
  expect(await lines()).toEqual(
    expect.arrayContaining([
      `manilla_archive_sealed_until_seconds{rows="movements"} ${timeOf('2026-03-01')}`,
      `manilla_archive_rows_left{rows="movements"} ${february?.rows}`,
      `manilla_archive_oldest_seconds{rows="movements"} ${timeOf('2026-03-01')}`,
    ]),
  )
  await books.archive()
  expect(await lines()).toContain('manilla_archive_rows_left{rows="movements"} 0')
})
