// The client: one method for each operation of the API, in groups.

import { ArgumentError } from './errors.ts'
import { isFields } from './json.ts'
import { List, pageLimit, type Page } from './list.ts'
import { checkAmount } from './money.ts'
import { createPayments, initiateMany } from './payments.ts'
import {
  createTransport,
  partsOfPath,
  type Answered,
  type Ask,
  type CallOptions,
  type Clock,
  type Method,
  type Success,
  type Transport,
} from './transport.ts'
import type * as Api from './types.ts'

export type ManillaOptions = {
  /** A key begins with `sk_test_` for staging or `sk_live_` for production. */
  apiKey: string
  /**
   * The base address of the key's environment. By default `MANILLA_BASE_URL`, or the address of a service on this
   * machine with default settings.
   */
  baseUrl?: string | undefined
  /** The limit of one attempt. The default is 30 seconds. */
  timeoutMs?: number | undefined
  /** The limit of a call: all its attempts and the waits between them. The default is 2 minutes. */
  totalTimeoutMs?: number | undefined
  fetch?: typeof fetch | undefined
  clock?: Clock | undefined
}

const realClock: Clock = {
  now: () => performance.now(),
  wait: (ms, signal) =>
    new Promise((resolve) => {
      const timer = setTimeout(done, ms)
      function done(): void {
        clearTimeout(timer)
        signal?.removeEventListener('abort', done)
        resolve()
      }
      signal?.addEventListener('abort', done)
      if (signal?.aborted === true) done()
    }),
}

/** How the groups of methods send their requests. */
export type Caller = {
  send: <T extends object>(ask: Ask, options: CallOptions | undefined) => Promise<Answered<T>>
  list: <T>(
    path: readonly string[],
    name: string,
    query: object | undefined,
    options: CallOptions | undefined,
  ) => List<T>
  clock: Clock
}

type Options = CallOptions | undefined

export class Manilla {
  /** The environment of the key, named as in webhooks: `sandbox` means staging. */
  readonly environment: Api.Environment
  readonly baseUrl: string
  readonly transfers: ReturnType<typeof transfersOf>
  readonly momo: ReturnType<typeof momoOf>
  readonly deposits: ReturnType<typeof depositsOf>
  readonly customers: ReturnType<typeof customersOf>
  readonly virtualAccounts: ReturnType<typeof virtualAccountsOf>
  readonly banks: ReturnType<typeof banksOf>
  readonly balance: ReturnType<typeof balanceOf>
  readonly webhooks: ReturnType<typeof webhooksOf>
  readonly events: ReturnType<typeof eventsOf>
  /** Staging only: controls the simulated banks, operators and payers. */
  readonly sandbox: ReturnType<typeof sandboxOf>
  readonly #transport: Transport

  constructor({ apiKey, baseUrl, timeoutMs = 30_000, totalTimeoutMs = 120_000, ...more }: ManillaOptions) {
    this.environment = environmentOf(apiKey)
    this.baseUrl = addressOf(baseUrl ?? variable('MANILLA_BASE_URL') ?? defaultAddress(this.environment))
    const transport = createTransport({
      apiKey,
      baseUrl: this.baseUrl,
      timeoutMs,
      totalTimeoutMs,
      // Wrapped, because browsers and workers throw if `fetch` is called as a method of another object.
      fetch: more.fetch ?? ((...request) => globalThis.fetch(...request)),
      clock: more.clock ?? realClock,
    })
    this.#transport = transport
    const caller: Caller = {
      clock: transport.clock,
      send: async <T extends object>(ask: Ask, options: Options) => {
        const { data, answer } = await transport.send(ask, options)
        return Object.defineProperty(data, 'lastResponse', { value: answer }) as Answered<T>
      },
      list: <T>(path: readonly string[], name: string, query: object | undefined, options: Options) =>
        new List<T>(query ?? {}, async (place) =>
          pageOf<T>(name, await transport.send({ method: 'GET', path, query: { ...query, ...place } }, options)),
        ),
    }
    this.transfers = transfersOf(caller)
    this.momo = momoOf(caller)
    this.deposits = depositsOf(caller)
    this.customers = customersOf(caller)
    this.virtualAccounts = virtualAccountsOf(caller)
    this.banks = banksOf(caller)
    this.balance = balanceOf(caller)
    this.webhooks = webhooksOf(caller)
    this.events = eventsOf(caller)
    this.sandbox = sandboxOf(caller)
  }

  /**
   * Calls an operation for which this version has no method, and returns its whole answer: `rawRequest('GET', '/v1/things',
   * { page: 2 })`. A GET or DELETE sends `params` in the query, other methods send them in the body. A GET is retried like
   * other reads; other methods are sent once.
   */
  async rawRequest<T extends object = { data: Record<string, unknown> }>(
    method: Method,
    path: string,
    params?: object,
    options?: CallOptions,
  ): Promise<Answered<T>> {
    const place = method === 'GET' || method === 'DELETE' ? 'query' : 'body'
    const sent = await this.#transport.send({ method, path: partsOfPath(path), [place]: params }, options)
    return Object.defineProperty(sent.whole, 'lastResponse', { value: sent.answer }) as Answered<T>
  }
}

function environmentOf(apiKey: string): Api.Environment {
  const [, mode] = /^sk_(test|live)_[!-~]+$/.exec(apiKey) ?? []
  if (mode === undefined) {
    throw new ArgumentError('An API key begins with sk_test_ or sk_live_, and holds no white space.')
  }
  return mode === 'live' ? 'production' : 'sandbox'
}

function variable(name: string): string | undefined {
  const { process } = globalThis as { process?: { env?: Record<string, string | undefined> } }
  const value = process?.env?.[name]
  return value === '' ? undefined : value
}

function defaultAddress(environment: Api.Environment): string {
  return `http://127.0.0.1:4000/${environment === 'sandbox' ? 'staging' : 'production'}`
}

function addressOf(text: string): string {
  const { protocol, username, password, search, hash } = URL.canParse(text) ? new URL(text) : new URL('none:')
  if (/^https?:$/.test(protocol) && username + password + search + hash === '') return text.replace(/\/+$/, '')
  throw new ArgumentError(`baseUrl is an address like https://pay.example.com/production, not ${JSON.stringify(text)}.`)
}

function pageOf<T>(name: string, { data, whole: { meta }, answer }: Success): Page<T> {
  const pagination = isFields(meta) ? meta['pagination'] : undefined
  const page = { items: (data[name] ?? []) as T[], pagination: (pagination ?? {}) as Api.Pagination }
  return Object.defineProperty(page, 'lastResponse', { value: answer }) as Page<T>
}

function transfersOf(caller: Caller) {
  return {
    ...createPayments<Api.TransferRequest, Api.Transfer, Api.ListTransfersQuery>(
      caller,
      ['transfers'],
      ['transfers', 'initiate'],
      'transfers',
    ),
    /** Sends any number of transfers, in parts of up to a thousand. A refused transfer does not stop the others. */
    initiateMany: (transfers: readonly Api.TransferRequest[], options?: CallOptions) =>
      initiateMany(caller, transfers, options),
    /** Returns the fee of a transfer. The currency is naira unless another one is named. */
    async fee(amount: number, currency?: Api.Currency, options?: CallOptions) {
      checkAmount(amount)
      const query = { type: 'transfer', amount, currency }
      return caller.send<Api.Fee>({ method: 'GET', path: ['fees'], query }, options)
    },
  }
}

function momoOf(caller: Caller) {
  const transfer = ['momo', 'transfer']
  const collection = ['momo', 'collection']
  return {
    transfers: createPayments<Api.InitiateMomoTransferRequest, Api.MomoTransfer, Api.ListMomoTransfersQuery>(
      caller,
      transfer,
      transfer,
      'transfers',
    ),
    collections: {
      ...createPayments<Api.InitiateMomoCollectionRequest, Api.MomoCollection, Api.ListMomoCollectionsQuery>(
        caller,
        collection,
        collection,
        'collections',
      ),
      /** Sends the code with which a payer agrees. It is never retried, because a wrong code uses up an attempt. */
      verifyOtp: (body: Api.VerifyCollectionOtpRequest, options?: CallOptions) =>
        caller.send<Api.MomoCollection>({ method: 'POST', path: [...collection, 'verify-otp'], body }, options),
    },
    operators: (query?: Api.ListMomoOperatorsQuery, options?: CallOptions) =>
      caller.send<Api.MomoOperatorList>({ method: 'GET', path: ['momo', 'operators'], query }, options),
    /** Returns the name of a wallet's owner. Check it before a transfer. */
    resolve: (query: Api.ResolvePhoneNumberQuery, options?: CallOptions) =>
      caller.send<Api.MomoWallet>({ method: 'GET', path: ['momo', 'resolve'], query }, options),
  }
}

function depositsOf({ send, list }: Caller) {
  return {
    list: (query?: Api.ListDepositsQuery, options?: CallOptions) =>
      list<Api.Deposit>(['deposits'], 'deposits', query, options),
    /** Reads a deposit by the reference that the service gave it: `DEP…`. */
    get: (reference: string, options?: CallOptions) =>
      send<Api.Deposit>({ method: 'GET', path: ['deposits', reference] }, options),
    /** Ship an order only if `valid` is true. A missing deposit is not an error: its answer has `exists: false`. */
    validate: (reference: string, options?: CallOptions) =>
      send<Api.DepositValidation>({ method: 'GET', path: ['deposits', 'validate', reference] }, options),
  }
}

function customersOf({ send, list }: Caller) {
  return {
    create: (body: Api.CreateCustomerRequest, options?: CallOptions) =>
      send<Api.Customer>({ method: 'POST', path: ['customers'], body }, options),
    list: (query?: Api.ListCustomersQuery, options?: CallOptions) =>
      list<Api.Customer>(['customers'], 'customers', query, options),
    get: (reference: string, options?: CallOptions) =>
      send<Api.Customer>({ method: 'GET', path: ['customers', reference] }, options),
    update: (reference: string, body: Api.UpdateCustomerRequest, options?: CallOptions) =>
      send<Api.Customer>({ method: 'PATCH', path: ['customers', reference], body }, options),
  }
}

function virtualAccountsOf({ send, list }: Caller) {
  const path = ['virtual-accounts']
  return {
    openStatic: (body: Api.OpenStaticAccountRequest, options?: CallOptions) =>
      send<Api.VirtualAccount>({ method: 'POST', path: [...path, 'static'], body }, options),
    async openDynamic(body: Api.OpenDynamicAccountRequest, options?: CallOptions) {
      checkAmount(body.amount)
      return send<Api.VirtualAccount>({ method: 'POST', path: [...path, 'dynamic'], body }, options)
    },
    list: (query?: Api.ListVirtualAccountsQuery, options?: CallOptions) =>
      list<Api.VirtualAccount>(path, 'virtualAccounts', query, options),
    get: (accountNumber: string, options?: CallOptions) =>
      send<Api.VirtualAccountDetails>({ method: 'GET', path: [...path, accountNumber] }, options),
    close: (accountNumber: string, options?: CallOptions) =>
      send<Api.VirtualAccount>({ method: 'DELETE', path: [...path, accountNumber] }, options),
  }
}

function banksOf({ send }: Caller) {
  return {
    list: (query?: Api.ListBanksQuery, options?: CallOptions) =>
      send<Api.BankList>({ method: 'GET', path: ['banks'], query }, options),
    /** Returns the name of an account's owner. Check it before a transfer. */
    resolve: (query: Api.ResolveBankAccountQuery, options?: CallOptions) =>
      send<Api.BankAccount>({ method: 'GET', path: ['bank', 'resolve'], query }, options),
  }
}

function balanceOf({ send, list }: Caller) {
  return {
    get: (options?: CallOptions) => send<Api.BalanceList>({ method: 'GET', path: ['balance'] }, options),
    /** Lists every movement of the available balance, newest first. */
    ledger: (query?: Api.ListLedgerEntriesQuery, options?: CallOptions) =>
      list<Api.LedgerEntry>(['balance', 'ledger'], 'entries', query, options),
  }
}

function webhooksOf({ send, list }: Caller) {
  const path = ['webhooks']
  const events = [...path, 'events']
  return {
    /** Only this answer contains the secret. */
    create: (body: Api.CreateWebhookRequest, options?: CallOptions) =>
      send<Api.NewWebhookSubscription>({ method: 'POST', path, body }, options),
    list: (query?: Api.ListWebhooksQuery, options?: CallOptions) =>
      list<Api.WebhookSubscription>(path, 'webhooks', query, options),
    get: (id: string, options?: CallOptions) =>
      send<Api.WebhookSubscription>({ method: 'GET', path: [...path, id] }, options),
    update: (id: string, body: Api.UpdateWebhookRequest, options?: CallOptions) =>
      send<Api.WebhookSubscription>({ method: 'PATCH', path: [...path, id], body }, options),
    delete: (id: string, options?: CallOptions) =>
      send<Api.DeleteWebhookResult>({ method: 'DELETE', path: [...path, id] }, options),
    /** Only this answer contains the new secret. Until the old one expires, deliveries are signed with both. */
    rotateSecret: (id: string, body: Api.RotateWebhookSecretRequest = {}, options?: CallOptions) =>
      send<Api.RotatedWebhookSubscription>({ method: 'POST', path: [...path, id, 'rotate-secret'], body }, options),
    test: (id: string, options?: CallOptions) =>
      send<Api.WebhookTestResult>({ method: 'POST', path: [...path, id, 'test'] }, options),
    deliveries: {
      list: (query?: Api.ListWebhookDeliveriesQuery, options?: CallOptions) =>
        list<Api.WebhookDelivery>(events, 'events', query, options),
      get: (eventId: string, options?: CallOptions) =>
        send<Api.WebhookDeliveryDetail>({ method: 'GET', path: [...events, eventId] }, options),
      retry: (eventId: string, body: Api.RetryWebhookDeliveryRequest = {}, options?: CallOptions) =>
        send<Api.WebhookDelivery>({ method: 'POST', path: [...events, eventId, 'retry'], body }, options),
      /** Sends the failed deliveries of a period again, at most 10,000 a call. */
      retryMany: (body: Api.RetryWebhookDeliveriesRequest, options?: CallOptions) =>
        send<Api.RetryWebhookDeliveriesResult>({ method: 'POST', path: [...events, 'retry'], body }, options),
    },
  }
}

function eventsOf({ send }: Caller) {
  const list = (query?: Api.ListEventsQuery, options?: CallOptions): Promise<Answered<Api.EventPage>> =>
    send<Api.EventPage>({ method: 'GET', path: ['events'], query }, options)
  return {
    /** Reads one page of all events, oldest first. Pass its `cursor` as `after` to read the next page. */
    list,
    /** Reads all events, oldest first, page by page. It ends with the newest event. */
    async *iterate(query: Api.ListEventsQuery = {}, options?: CallOptions): AsyncGenerator<Api.WebhookEvent> {
      let place: Api.ListEventsQuery = { limit: pageLimit, ...query }
      for (;;) {
        const { events, cursor, hasMore } = await list(place, options)
        yield* events
        if (!hasMore || events.length === 0 || cursor === null) return
        place = { limit: place.limit, after: cursor }
      }
    },
  }
}

function sandboxOf({ send }: Caller) {
  const post = <T extends object>(path: string[], body: object, options: Options): Promise<Answered<T>> =>
    send<T>({ method: 'POST', path: ['sandbox', ...path], body }, options)
  return {
    /** Pays into a virtual account. */
    async deposit(body: Api.SimulateDepositRequest, options?: CallOptions) {
      checkAmount(body.amount)
      return post<Api.Deposit>(['deposits'], body, options)
    },
    settleDeposit: (reference: string, body: Api.SettleDepositRequest, options?: CallOptions) =>
      post<Api.Deposit>(['deposits', reference, 'settle'], body, options),
    completeTransfer: (reference: string, body: Api.CompleteTransferRequest, options?: CallOptions) =>
      post<Api.Transfer>(['transfers', reference, 'complete'], body, options),
    completeMomoTransfer: (reference: string, body: Api.CompleteMomoTransferRequest, options?: CallOptions) =>
      post<Api.MomoTransfer>(['momo', 'transfer', reference, 'complete'], body, options),
    completeMomoCollection: (reference: string, body: Api.CompleteMomoCollectionRequest, options?: CallOptions) =>
      post<Api.MomoCollection>(['momo', 'collection', reference, 'complete'], body, options),
    /** Adds money to a balance. The currency is naira unless another one is named. */
    async fund(amount: number, currency?: Api.Currency, options?: CallOptions) {
      checkAmount(amount)
      return post<Api.FundBalanceResult>(['balance', 'fund'], { amount, currency }, options)
    },
    /** Sends a sample of an event to the subscriptions that include it. */
    triggerEvent: (event: Api.EventName, options?: CallOptions) =>
      post<Api.TriggerWebhookEventResult>(['webhooks', 'trigger'], { event }, options),
  }
}
