// The order in which a run of all tests takes its files. Vitest knows a file's duration only after it has run here, so
// a fresh clone would leave files of minutes to the end, where one of them keeps one core busy and the other idle.

import path from 'node:path'
import { BaseSequencer, type TestSpecification } from 'vitest/node'
import { longest } from './tiers.ts'

export class LongestFirst extends BaseSequencer {
  override async sort(files: TestSpecification[]): Promise<TestSpecification[]> {
    const usual = await super.sort(files) // oxlint-disable-line unicorn/no-array-sort
    const isLong = ({ moduleId }: TestSpecification): boolean => longest.includes(path.relative(root, moduleId))
    return [...usual.filter(isLong), ...usual.filter((file) => !isLong(file))]
  }
}

const root = path.resolve(import.meta.dirname, '../..')
