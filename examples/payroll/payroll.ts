// Pays salaries from a CSV file. It is safe to run again: the reference of each salary makes it one transfer.

import { formatNaira, naira, NotFoundError, type Manilla, type Transfer, type TransferRequest } from '@manilla/sdk'

export type Salary = {
  employee: string
  name: string
  bankSlug: string
  accountNumber: string
  amount: number
  /** 1, and one more for each time that the salary is sent again after it failed. */
  attempt: number
}

export type Outcome = { salary: Salary; status: 'paid' | 'failed' | 'pending'; reason: string }

const columns = ['employee', 'name', 'bankSlug', 'accountNumber', 'amount', 'attempt'] as const

/** Reads the whole file before anything is sent, so that a wrong line stops the run. */
export function readSalaries(csv: string): Salary[] {
  const [head = '', ...lines] = csv.trim().split(/\r?\n/)
  if (head !== columns.join(',')) throw new Error(`The first line must be: ${columns.join(',')}`)
  const salaries = lines.map((line, index) => {
    const [employee = '', name = '', bankSlug = '', accountNumber = '', amount = '', attempt = ''] = line.split(',')
    const place = `Line ${index + 2}`
    if (!/^[\w-]{1,40}$/.test(employee)) throw new Error(`${place}: employee is 1 to 40 letters, digits, _ or -.`)
    if (!/^\d{10}$/.test(accountNumber)) throw new Error(`${place}: accountNumber is 10 digits.`)
    if (!/^[1-9]\d?$/.test(attempt)) throw new Error(`${place}: attempt is 1 to 99.`)
    return { employee, name, bankSlug, accountNumber, amount: naira(amount), attempt: Number(attempt) }
  })
  const repeated = salaries.find(({ employee }, index) => salaries.findIndex((s) => s.employee === employee) !== index)
  if (repeated !== undefined) throw new Error(`${repeated.employee} is there twice.`)
  return salaries
}

/** The same salary of the same month always has the same reference. */
export function referenceOf(month: string, { employee, attempt }: Salary): string {
  return `SALARY-${month}-${employee}-${attempt}`
}

export async function payAll(manilla: Manilla, month: string, salaries: Salary[]): Promise<Outcome[]> {
  await checkBalance(manilla, month, salaries)
  const requests = salaries.map((salary): TransferRequest => ({
    reference: referenceOf(month, salary),
    amount: salary.amount,
    bankSlug: salary.bankSlug,
    accountNumber: salary.accountNumber,
    accountName: salary.name,
    narration: `Salary ${month}`,
  }))
  const { results } = await manilla.transfers.initiateMany(requests)
  return inTurns(10, salaries, async (salary, index): Promise<Outcome> => {
    const result = results[index]
    // Refused means that nothing was sent or stored: correct the line and run again.
    const transfer = result?.transfer ?? undefined
    if (transfer === undefined) return { salary, status: 'failed', reason: result?.error?.message ?? 'no result' }
    return outcomeOf(salary, await waitForEnd(manilla, transfer))
  })
}

/** Fails before the first salary is sent. What an earlier run has sent is not counted again. */
async function checkBalance(manilla: Manilla, month: string, salaries: Salary[]): Promise<void> {
  const costs = await inTurns(10, salaries, async (salary) => {
    if (await isSent(manilla, referenceOf(month, salary))) return 0
    return (await manilla.transfers.fee(salary.amount)).totalDebit
  })
  const total = costs.reduce((sum, cost) => sum + cost, 0)
  const { balances } = await manilla.balance.get()
  const available = balances.find(({ currency }) => currency === 'NGN')?.available ?? 0
  if (total > available) {
    throw new Error(`The salaries cost ${formatNaira(total)}, and ${formatNaira(available)} are available.`)
  }
}

async function isSent(manilla: Manilla, reference: string): Promise<boolean> {
  try {
    await manilla.transfers.get(reference)
    return true
  } catch (error) {
    if (error instanceof NotFoundError) return false
    throw error
  }
}

/** A transfer that takes long has not failed. It is reported as pending, and a later run asks again. */
async function waitForEnd(manilla: Manilla, transfer: Transfer): Promise<Transfer> {
  try {
    return await manilla.transfers.waitFor(transfer.reference, { waitMs: 120_000 })
  } catch (error) {
    if ((error as { code?: unknown }).code === 'STILL_PENDING') return transfer
    throw error
  }
}

function outcomeOf(salary: Salary, transfer: Transfer): Outcome {
  if (!transfer.isFinal) return { salary, status: 'pending', reason: 'the bank has not answered yet' }
  if (transfer.status === 'SUCCESS') return { salary, status: 'paid', reason: '' }
  return { salary, status: 'failed', reason: transfer.failureMessage ?? transfer.failureReason ?? transfer.status }
}

/** Runs a function over a list, a few items at a time. */
async function inTurns<T, R>(atOnce: number, items: T[], run: (item: T, index: number) => Promise<R>): Promise<R[]> {
  const results: R[] = []
  const waiting = items.entries()
  const work = async (): Promise<void> => {
    for (const [index, item] of waiting) results[index] = await run(item, index)
  }
  await Promise.all(Array.from({ length: atOnce }, work))
  return results
}

export function reportOf(outcomes: Outcome[]): string {
  const lines = outcomes.map(({ salary, status, reason }) =>
    [status.padEnd(8), salary.employee.padEnd(12), formatNaira(salary.amount).padStart(16), reason].join(' ').trimEnd(),
  )
  const count = (wanted: Outcome['status']): number => outcomes.filter(({ status }) => status === wanted).length
  return [...lines, `${count('paid')} paid, ${count('failed')} failed, ${count('pending')} pending`].join('\n')
}
