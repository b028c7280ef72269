// Starts the wallet app. It subscribes to its events itself, because the secret of a subscription is shown once.

import { Manilla } from '@manilla/sdk'
import { createWallet, serveWallet } from './wallet.ts'

const port = Number(process.env['PORT'] ?? 3000)
const manilla = new Manilla({ apiKey: process.env['MANILLA_API_KEY'] ?? '' })
const url = `http://127.0.0.1:${port}/webhooks`

// In production: subscribe once, and keep the secret with your other secrets.
for await (const webhook of manilla.webhooks.list()) if (webhook.url === url) await manilla.webhooks.delete(webhook.id)
const { secret } = await manilla.webhooks.create({
  url,
  events: ['customer.deposit.success', 'momo.collection.success'],
})

serveWallet(createWallet(manilla), secret).listen(port, '127.0.0.1', () =>
  console.log(`The wallet app is at http://127.0.0.1:${port}`),
)
