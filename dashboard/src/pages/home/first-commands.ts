// The commands that a new developer pastes first.

export type TestPayment = {
  reference: string
  amount: number
  bankSlug: string
  accountNumber: string
  accountName: string
  narration: string
}

/** A payout that succeeds in the simulator, because of its account number. */
export function testPayment(unique: string): TestPayment {
  return {
    reference: `TEST-${unique}`,
    amount: 150_000,
    bankSlug: 'guaranty-trust-bank',
    accountNumber: '0123456789',
    accountName: 'ADA OBI',
    narration: 'First test payment',
  }
}

/** Uses the address by which this browser reaches the service. Only the operator knows other addresses of the API. */
export function firstCommands(origin: string, key: string): string[] {
  const api = `${origin}/staging/v1`
  const authorization = `-H 'Authorization: Bearer ${key}'`
  const body = JSON.stringify({ ...testPayment('CURL-1'), narration: undefined })
  return [
    `curl ${api}/balance ${authorization}`,
    `curl ${api}/transfers/initiate ${authorization} -H 'Content-Type: application/json' -d '${body}'`,
    `curl ${api}/transfers/TEST-CURL-1 ${authorization}`,
  ]
}
