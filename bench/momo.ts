// Makes the requests for mobile-money transfers and collections that scenarios send.

import type { BenchRequest } from './scenario.ts'

const asked = { amount: 1_000, phoneNumber: '08030000000', narration: 'Invoice 881' }

export function sendRequest(key: string, reference: string): BenchRequest {
  const body = { reference, ...asked, accountName: 'ADA OBI' }
  return { method: 'POST', path: '/staging/v1/momo/transfer', key, body }
}

export function collectRequest(key: string, reference: string): BenchRequest {
  const body = { reference, ...asked, customerName: 'ADA OBI' }
  return { method: 'POST', path: '/staging/v1/momo/collection', key, body }
}
