// The conformance suite for a rail that talks HTTP to an unreliable bank. The simulator runs the same suite in
// simulator.test.ts.

import { afterAll, describe, expect, it } from 'vitest'
import { present } from '#platform/assert.ts'
import { toMoney } from '#platform/money.ts'
import { createNet } from '#platform/http-client/client.ts'
import { bankFailureReasons, type PayoutOrder } from '#rails/rail.ts'
import { createFakeClock } from '#tests/support/clock.ts'
import { createUpstreamRail } from '#tests/support/upstream-rail.ts'
import { startScriptedUpstream, type Script } from '#tests/support/scripted-upstream.ts'
import { describeBankDirectory, describeInbound, describeSubmission, type Fate } from './conformance.ts'
import { bank, createOrderMaker } from './orders.ts'

const requestTimeoutMs = 1_000

const clock = createFakeClock()
const upstream = await startScriptedUpstream({ lateMs: requestTimeoutMs + 100 })
const net = createNet()
const rail = createUpstreamRail({ net, url: upstream.url, requestTimeoutMs })
afterAll(async () => {
  await net.close()
  await upstream.close()
})

const orders = createOrderMaker(clock)
let accountsUsed = 0

/** An order to an account of its own, for which the bank follows the script. */
function newOrder(script: Script, amount = toMoney(150_000)): PayoutOrder {
  const accountNumber = String(++accountsUsed).padStart(10, '0')
  upstream.script(accountNumber, script)
  return orders.payout(accountNumber, amount)
}

function scenario(title: string, fate: Fate, script: Script) {
  return { title, fate, newOrder: () => newOrder(script) }
}

describeSubmission('scripted bank transfer', {
  port: rail.payout,
  clock,
  reasons: bankFailureReasons,
  newOrder: (amount) => newOrder({}, amount),
  paymentsMade: (order) => upstream.paymentsTo(order.accountNumber).length,
  amountArrived(order) {
    const payment = present(upstream.paymentsTo(order.accountNumber)[0], 'the payment arrived')
    return toMoney(BigInt(payment.amount.replace('.', '')))
  },
  scenarios: [
    scenario('answered as it should be', 'paid', {}),
    scenario('refused', 'refused', { fate: 'refused' }),
    scenario('refused because a bank is down, which only a second answer proves', 'refused', { fate: 'bank-down' }),
    scenario('never finished', 'open', { fate: 'open' }),
    scenario('paid and sent back', 'returned', { fate: 'returned' }),
    scenario('answered late', 'paid', { submit: ['late'] }),
    scenario('never answered', 'paid', { submit: ['never'], status: ['never'] }),
    scenario('answered twice', 'paid', { submit: ['twice'] }),
    scenario('answered with half a JSON text', 'paid', { submit: ['garbage'], status: ['garbage'] }),
    scenario('answered with a web page', 'paid', { submit: ['error-page'] }),
    scenario('answered 500 but done', 'paid', { submit: ['error-but-done'], status: ['error'] }),
    scenario('answered 500 but refused', 'refused', { fate: 'refused', submit: ['error-but-done'] }),
    scenario('cut off after it arrived', 'paid', { submit: ['reset-after'], status: ['reset'] }),
    scenario('answered as a duplicate', 'paid', { submit: ['duplicate'] }),
    scenario('answered with a word that nobody knows', 'paid', { submit: ['odd-word'], status: ['odd-word'] }),
    scenario('answered with somebody else’s payment', 'refused', { fate: 'refused', submit: ['other-payment'] }),
    scenario('answered that a bank is down, but done', 'paid', { submit: ['down-but-done'] }),
    scenario('not shown at first', 'paid', { submit: ['never'], status: ['missing', 'missing', 'missing-page'] }),
    scenario('cut off before it was read', 'lost', { submit: ['reset-before'] }),
    scenario('answered 503 and not done', 'lost', { submit: ['error-not-done'] }),
  ],
})

const question = (accountNumber: string) => ({ bank, accountNumber })

describeBankDirectory('scripted', {
  directory: rail.bankDirectory,
  known: question('0123456789'),
  missing: question('0000000404'),
  silent: ['0000000500', '0000000600', '0000000700', '0000000999'].map(question),
})

const notice = {
  transactionId: 'TX-1',
  accountNumber: '8000000001',
  amount: '21474836.48',
  paidAt: '2026-01-15T09:30:00.000Z',
  payer: { name: 'ADA OBI', accountNumber: '0123456789', bank: 'GTBank' },
  narration: 'order 7',
}

describeInbound('scripted', {
  inbound: rail.inbound,
  genuine: upstream.notice(JSON.stringify(notice)),
  signedNonsense: upstream.notice('{"amount":1}'),
})

describe('scripted: what only a rail over a network has', () => {
  it('reads an amount above 2^31 from a notice to the kobo', async () => {
    const answer = await rail.inbound.read(upstream.notice(JSON.stringify(notice)).rawBody)
    expect(answer).toMatchObject({ notices: [{ deposit: { providerId: 'TX-1', amount: 2_147_483_648n } }] })
  })

  it('says that nothing was sent only when no connection was made, and then not that it failed', async () => {
    const gone = await startScriptedUpstream({ lateMs: 0 })
    await gone.close()
    const { payout } = createUpstreamRail({ net, url: gone.url, requestTimeoutMs })
    const order = orders.payout('0123456789')
    expect(await payout.submit(order)).toMatchObject({ kind: 'unknown', sent: false })
    expect(await payout.status(order)).toEqual({ kind: 'unknown', detail: expect.any(String) })
    for (const act of ['never', 'reset-before', 'reset-after'] as const) {
      expect(await rail.payout.submit(newOrder({ submit: [act] })), act).toEqual({
        kind: 'unknown',
        detail: expect.any(String),
      })
    }
  })

  it('does not take the second half of a double answer for the answer to the next payment', async () => {
    const [first, next] = [newOrder({ submit: ['twice'] }), newOrder({ fate: 'refused' })]
    expect(await rail.payout.submit(first)).toMatchObject({ kind: 'succeeded' })
    const answers = await Promise.all([rail.payout.submit(next), rail.payout.status(next)])
    expect(answers.map(({ kind }) => kind)).not.toContain('succeeded')
    expect(await rail.payout.status(next)).toEqual({ kind: 'failed', reason: 'DORMANT_ACCOUNT' })
  })

  it('stops asking for a name when the caller does', async () => {
    const patient = createUpstreamRail({ net, url: upstream.url, requestTimeoutMs: 300_000 })
    const stop = new AbortController()
    const asked = patient.bankDirectory.resolve({ ...question('0000000999'), signal: stop.signal })
    stop.abort()
    expect(await asked).toMatchObject({ kind: 'unavailable' })
  })
})
