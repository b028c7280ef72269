// The service answers requests that schemathesis makes of docs/openapi.json as the description says. It may refuse a
// valid one by a rule that the description states in words, because no schema can. A machine without Python skips this.

import { writeFile } from 'node:fs/promises'
import path from 'node:path'
import { expect, it } from 'vitest'
import { newFolder } from '#tests/support/run.ts'
import { useService } from '#tests/support/service.ts'
import { fetched, run } from './tools.ts'

const openApi = path.resolve(import.meta.dirname, '../../docs/openapi.json')
const service = await useService({ settings: { SANDBOX_SETTLE_MS: '10' } })

/**
 * The beginnings of the messages of VALIDATION_ERROR for a field that depends on another one, on the key or on the
 * business.
 */
const stated = [
  'accountNumber is for tills and paybills',
  'accountNumber is required for ',
  'accountReference is for paybills',
  'accountReference is required for ',
  'amount would take the balance above',
  'bankSlug is required (or bankCode)',
  'currency ',
  'environment must be ',
  'from must be a day that exists',
  'from must not be given together with after',
  'to must be a day that exists',
  'to must not be before from',
  'phoneNumber is not for ',
  'phoneNumber is required',
  'phoneNumber must be a phone number of ',
  'url must be an absolute address',
  'url must begin with https://',
]

// Every other code names its rule.
const check = `import json
import schemathesis

STATED = tuple(json.loads(${JSON.stringify(JSON.stringify(stated))}))

@schemathesis.check
def is_refused_by_a_stated_rule(ctx, response, case):
    if response.status_code != 400:
        return
    error = response.json()["error"]
    assert error["code"] != "VALIDATION_ERROR" or error["message"].startswith(STATED), error["message"]
`

it('answers generated requests by the description, and refuses no valid one but by a stated rule', async (context) => {
  const folder = await newFolder('schemathesis')
  await fetched(context, folder, 'python3', '-m', 'venv', 'venv')
  await fetched(context, folder, 'venv/bin/pip', 'install', '--quiet', 'schemathesis==4.32.5')
  await writeFile(path.join(folder, 'check.py'), check)
  // No text may hold a NUL character, not even the name of an unknown field.
  await writeFile(path.join(folder, 'schemathesis.toml'), 'hooks = "check.py"\n\n[generation]\nallow-x00 = false\n')
  const server = ['--url', `${service.url}/staging`, '--header', `Authorization: Bearer ${service.testKey}`]
  const examples = ['--phases', 'examples,fuzzing', '--mode', 'positive', '--max-examples', '6', '--seed', '1']
  const checks = ['--exclude-checks', 'positive_data_acceptance', '--continue-on-failure', '--no-shrink']
  const settings = [...server, ...examples, ...checks, '--warnings', 'off']
  const { ok, text } = await run(folder, 'venv/bin/schemathesis', 'run', openApi, ...settings)
  expect(ok, text).toBe(true)
  const [, generated = '0'] = /(\d+) generated/.exec(text) ?? []
  expect(Number(generated)).toBeGreaterThan(200)
})
