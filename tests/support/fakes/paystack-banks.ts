// Paystack's banks, by its documents: "List Banks" and "Resolve Account Number".

import type { Answer, Asked, Handler } from './provider.ts'

/** The banks in Paystack's order, one array for each page. */
const pages = [
  [
    { code: '058', slug: 'guaranty-trust-bank', active: true },
    { code: '090', slug: 'closed-bank', active: false },
  ],
  [{ code: '044', slug: 'access-bank', active: true }],
]

/** Undefined: the call is not about banks. */
export function handleBanks({ method, path, query }: Asked): ReturnType<Handler> | undefined {
  if (method === 'GET' && path === '/bank/resolve') return { act: 'answer', work: () => resolve(query) }
  return method === 'GET' && path === '/bank' ? { act: 'answer', work: () => list(query) } : undefined
}

function list(query: URLSearchParams): Answer {
  if (query.get('currency') !== 'NGN' || query.get('use_cursor') !== 'true' || query.get('perPage') !== '100')
    throw new Error('a list of banks without its pages')
  const at = Number(query.get('next') ?? '0')
  const meta = { next: at + 1 < pages.length ? String(at + 1) : null, perPage: 100 }
  return { status: 200, body: { status: true, message: 'Banks retrieved', data: pages[at], meta } }
}

function resolve(query: URLSearchParams): Answer {
  const account = query.get('account_number') ?? ''
  if (!/^\d{10}$/.test(account) || query.get('bank_code') === null)
    throw new Error('a question without account and bank')
  switch (account) {
    case '0000000404':
      return refusal(422, 'Could not resolve account name. Check parameters or try again.', 'invalid_bank_code')
    case '0000000500':
      return { status: 500, body: { status: false, message: 'An error occurred' } }
    case '0000000600':
      return success({ account_number: account, account_name: null, bank_id: 9 })
    case '0000000700':
      return refusal(400, 'Unknown bank code: 059', 'invalid_params')
    default:
      return success({ account_number: account, account_name: ' Karokart  / Rhoda Church ', bank_id: 9 })
  }
}

const success = (data: unknown): Answer => ({ status: 200, body: { status: true, message: 'OK', data } })
const refusal = (status: number, message: string, code: string): Answer => ({
  status,
  body: { status: false, message, type: 'validation_error', meta: { nextStep: 'Try again' }, code },
})
