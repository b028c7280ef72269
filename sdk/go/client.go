package manilla

import (
	"context"
	"encoding/json"
	"iter"
	"net/http"
	"net/url"
	"os"
	"regexp"
	"strings"
	"time"
)

// Options of a client. The zero value is right for most.
type Options struct {
	// BaseURL is the base address of the key's environment, with its path prefix. The default is MANILLA_BASE_URL, else
	// the address of a service on this machine with default settings.
	BaseURL string
	// Timeout limits one attempt. The default is 30 seconds.
	Timeout time.Duration
	// TotalTimeout limits a call: all its attempts and the waits between them. The default is 2 minutes.
	TotalTimeout time.Duration
	// HTTPClient is your own, for proxies and tests. Redirects are never followed.
	HTTPClient *http.Client
	Clock      Clock
}

// Client of the Manilla API. Goroutines may share it.
type Client struct {
	// Environment of the key, named as in webhooks: sandbox means staging.
	Environment     Environment
	BaseURL         string
	Transfers       *Transfers
	Momo            *Momo
	Deposits        *Deposits
	Customers       *Customers
	VirtualAccounts *VirtualAccounts
	Banks           *Banks
	Balance         *BalanceCalls
	Webhooks        *Webhooks
	Events          *Events
	// Sandbox controls the simulated banks, operators and payers, in staging only.
	Sandbox *Sandbox

	sender *sender
}

var keyForm = regexp.MustCompile(`^sk_(test|live)_[!-~]+$`)

// New makes a client. The key decides the environment: sk_test_… is staging, sk_live_… production.
func New(apiKey string, options Options) (*Client, error) {
	match := keyForm.FindStringSubmatch(apiKey)
	if match == nil {
		return nil, argumentError("an API key begins with sk_test_ or sk_live_, and holds no white space")
	}
	environment, prefix := Environment("sandbox"), "staging"
	if match[1] == "live" {
		environment, prefix = "production", "production"
	}
	address := firstOf(options.BaseURL, os.Getenv("MANILLA_BASE_URL"), "http://127.0.0.1:4000/"+prefix)
	parsed, err := url.Parse(address)
	if err != nil || parsed.Scheme != "http" && parsed.Scheme != "https" || parsed.Host == "" ||
		parsed.User != nil || strings.ContainsAny(address, "?#") {
		return nil, argumentError("BaseURL is an address like https://pay.example.com/production, not %q", address)
	}
	client := http.Client{}
	if options.HTTPClient != nil {
		client = *options.HTTPClient
	}
	client.CheckRedirect = func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }
	s := &sender{
		apiKey:       apiKey,
		baseURL:      strings.TrimRight(address, "/"),
		timeout:      orElse(options.Timeout, 30*time.Second),
		totalTimeout: orElse(options.TotalTimeout, 2*time.Minute),
		client:       &client,
		clock:        options.Clock,
	}
	if s.clock == nil {
		s.clock = systemClock{}
	}
	transfers := &Payments[TransferRequest, Transfer, ListTransfersQuery]{
		s, []string{"transfers"}, []string{"transfers", "initiate"}, "transfers",
		func(r TransferRequest) (string, Kobo) { return r.Reference, r.Amount },
		func(t Transfer) (bool, string) { return t.IsFinal, string(t.Status) },
	}
	momoTransfers := &Payments[InitiateMomoTransferRequest, MomoTransfer, ListMomoTransfersQuery]{
		s, []string{"momo", "transfer"}, []string{"momo", "transfer"}, "transfers",
		func(r InitiateMomoTransferRequest) (string, Kobo) { return r.Reference, r.Amount },
		func(t MomoTransfer) (bool, string) { return t.IsFinal, string(t.Status) },
	}
	collections := &Payments[InitiateMomoCollectionRequest, MomoCollection, ListMomoCollectionsQuery]{
		s, []string{"momo", "collection"}, []string{"momo", "collection"}, "collections",
		func(r InitiateMomoCollectionRequest) (string, Kobo) { return r.Reference, r.Amount },
		func(c MomoCollection) (bool, string) { return c.IsFinal, string(c.Status) },
	}
	return &Client{
		Environment:     environment,
		BaseURL:         s.baseURL,
		Transfers:       &Transfers{transfers},
		Momo:            &Momo{s, momoTransfers, &MomoCollections{collections}},
		Deposits:        &Deposits{s},
		Customers:       &Customers{s},
		VirtualAccounts: &VirtualAccounts{s},
		Banks:           &Banks{s},
		Balance:         &BalanceCalls{s},
		Webhooks:        &Webhooks{s, &WebhookDeliveries{s}},
		Events:          &Events{s},
		Sandbox:         &Sandbox{s},
		sender:          s,
	}, nil
}

// RawRequest calls an operation for which this version has no method: RawRequest(ctx, "GET", "/v1/things", query). Its
// Data is the whole answer. A GET or DELETE sends params in the query, other methods send them in the body. A GET is
// retried like other reads; other methods are sent once.
func (c *Client) RawRequest(ctx context.Context, method, path string, params any, options ...CallOption) (*Answer[json.RawMessage], error) {
	parts, err := partsOfPath(path)
	if err != nil {
		return nil, err
	}
	what := ask{method: method, path: parts}
	if method == http.MethodGet || method == http.MethodDelete {
		what.query = queryOf(params)
	} else {
		what.body = params
	}
	sent, err := c.sender.send(ctx, what, options)
	if err != nil {
		return nil, err
	}
	return &Answer[json.RawMessage]{sent.whole, sent.meta}, nil
}

func firstOf(texts ...string) string {
	for _, text := range texts {
		if text != "" {
			return text
		}
	}
	return ""
}

func orElse(given, usual time.Duration) time.Duration {
	if given == 0 {
		return usual
	}
	return given
}

func get[T any](ctx context.Context, s *sender, query any, options []CallOption, path ...string) (*Answer[T], error) {
	return call[T](ctx, s, ask{method: http.MethodGet, path: path, query: queryOf(query)}, options)
}

func post[T any](ctx context.Context, s *sender, body any, options []CallOption, path ...string) (*Answer[T], error) {
	return call[T](ctx, s, ask{method: http.MethodPost, path: path, body: body}, options)
}

// Transfers are payouts to bank accounts.
type Transfers struct {
	*Payments[TransferRequest, Transfer, ListTransfersQuery]
}

// Fee returns the fee of a transfer. The currency is naira if it is empty.
func (t *Transfers) Fee(ctx context.Context, amount Kobo, currency Currency, options ...CallOption) (*Answer[Fee], error) {
	if err := checkAmount(amount); err != nil {
		return nil, err
	}
	query := GetFeeQuery{Type: Ptr(FeeType("transfer")), Amount: &amount, Currency: unlessEmpty(currency)}
	return get[Fee](ctx, t.sender, query, options, "fees")
}

func unlessEmpty(currency Currency) *Currency {
	if currency == "" {
		return nil
	}
	return &currency
}

// Momo is mobile money.
type Momo struct {
	sender      *sender
	Transfers   *Payments[InitiateMomoTransferRequest, MomoTransfer, ListMomoTransfersQuery]
	Collections *MomoCollections
}

// MomoCollections collect money from wallets.
type MomoCollections struct {
	*Payments[InitiateMomoCollectionRequest, MomoCollection, ListMomoCollectionsQuery]
}

// VerifyOTP sends the code with which a payer agrees. It is never retried, because a wrong code uses up an attempt.
func (c *MomoCollections) VerifyOTP(ctx context.Context, body VerifyCollectionOtpRequest, options ...CallOption) (*Answer[MomoCollection], error) {
	return post[MomoCollection](ctx, c.sender, body, options, "momo", "collection", "verify-otp")
}

// Operators lists the mobile-money operators that this environment supports.
func (m *Momo) Operators(ctx context.Context, query ListMomoOperatorsQuery, options ...CallOption) (*Answer[MomoOperatorList], error) {
	return get[MomoOperatorList](ctx, m.sender, query, options, "momo", "operators")
}

// Resolve returns the name of a wallet's owner. Check it before a transfer.
func (m *Momo) Resolve(ctx context.Context, query ResolvePhoneNumberQuery, options ...CallOption) (*Answer[MomoWallet], error) {
	return get[MomoWallet](ctx, m.sender, query, options, "momo", "resolve")
}

// Deposits are money that was paid to you.
type Deposits struct{ sender *sender }

// List lists deposits, newest first.
func (d *Deposits) List(query ListDepositsQuery, options ...CallOption) *List[Deposit] {
	return newList[Deposit](d.sender, []string{"deposits"}, "deposits", query, options)
}

// Get reads a deposit by the reference that the service gave it: DEP….
func (d *Deposits) Get(ctx context.Context, reference string, options ...CallOption) (*Answer[Deposit], error) {
	return get[Deposit](ctx, d.sender, nil, options, "deposits", reference)
}

// Validate checks a deposit before you ship an order: Valid must be true. A missing deposit is not an error: Exists is
// false then.
func (d *Deposits) Validate(ctx context.Context, reference string, options ...CallOption) (*Answer[DepositValidation], error) {
	return get[DepositValidation](ctx, d.sender, nil, options, "deposits", "validate", reference)
}

// Customers own static virtual accounts.
type Customers struct{ sender *sender }

// Create adds a customer under a reference of yours.
func (c *Customers) Create(ctx context.Context, body CreateCustomerRequest, options ...CallOption) (*Answer[Customer], error) {
	return post[Customer](ctx, c.sender, body, options, "customers")
}

// List lists customers, newest first.
func (c *Customers) List(query ListCustomersQuery, options ...CallOption) *List[Customer] {
	return newList[Customer](c.sender, []string{"customers"}, "customers", query, options)
}

// Get reads a customer by your reference.
func (c *Customers) Get(ctx context.Context, reference string, options ...CallOption) (*Answer[Customer], error) {
	return get[Customer](ctx, c.sender, nil, options, "customers", reference)
}

// Update changes only the fields in the body.
func (c *Customers) Update(ctx context.Context, reference string, body UpdateCustomerRequest, options ...CallOption) (*Answer[Customer], error) {
	return call[Customer](ctx, c.sender, ask{method: http.MethodPatch, path: []string{"customers", reference}, body: body}, options)
}

// VirtualAccounts are bank accounts into which others pay you.
type VirtualAccounts struct{ sender *sender }

// OpenStatic opens a permanent account of a customer.
func (v *VirtualAccounts) OpenStatic(ctx context.Context, body OpenStaticAccountRequest, options ...CallOption) (*Answer[VirtualAccount], error) {
	return post[VirtualAccount](ctx, v.sender, body, options, "virtual-accounts", "static")
}

// OpenDynamic opens an account for one order.
func (v *VirtualAccounts) OpenDynamic(ctx context.Context, body OpenDynamicAccountRequest, options ...CallOption) (*Answer[VirtualAccount], error) {
	if err := checkAmount(body.Amount); err != nil {
		return nil, err
	}
	return post[VirtualAccount](ctx, v.sender, body, options, "virtual-accounts", "dynamic")
}

// List lists virtual accounts, newest first.
func (v *VirtualAccounts) List(query ListVirtualAccountsQuery, options ...CallOption) *List[VirtualAccount] {
	return newList[VirtualAccount](v.sender, []string{"virtual-accounts"}, "virtualAccounts", query, options)
}

// Get reads an account by its number, also a closed one.
func (v *VirtualAccounts) Get(ctx context.Context, accountNumber string, options ...CallOption) (*Answer[VirtualAccountDetails], error) {
	return get[VirtualAccountDetails](ctx, v.sender, nil, options, "virtual-accounts", accountNumber)
}

// Close closes a static account. Money that is paid into it later is returned to its payer.
func (v *VirtualAccounts) Close(ctx context.Context, accountNumber string, options ...CallOption) (*Answer[VirtualAccount], error) {
	return call[VirtualAccount](ctx, v.sender, ask{method: http.MethodDelete, path: []string{"virtual-accounts", accountNumber}}, options)
}

// Banks are the banks that can receive transfers.
type Banks struct{ sender *sender }

// List reads all banks that match the query, in one answer.
func (b *Banks) List(ctx context.Context, query ListBanksQuery, options ...CallOption) (*Answer[BankList], error) {
	return get[BankList](ctx, b.sender, query, options, "banks")
}

// Resolve returns the name of an account's owner. Check it before a transfer.
func (b *Banks) Resolve(ctx context.Context, query ResolveBankAccountQuery, options ...CallOption) (*Answer[BankAccount], error) {
	return get[BankAccount](ctx, b.sender, query, options, "bank", "resolve")
}

// BalanceCalls read the balance and its movements.
type BalanceCalls struct{ sender *sender }

// Get reads the balances, naira first.
func (b *BalanceCalls) Get(ctx context.Context, options ...CallOption) (*Answer[BalanceList], error) {
	return get[BalanceList](ctx, b.sender, nil, options, "balance")
}

// Ledger lists every movement of the available balance, newest first.
func (b *BalanceCalls) Ledger(query ListLedgerEntriesQuery, options ...CallOption) *List[LedgerEntry] {
	return newList[LedgerEntry](b.sender, []string{"balance", "ledger"}, "entries", query, options)
}

// Webhooks are subscriptions to events.
type Webhooks struct {
	sender     *sender
	Deliveries *WebhookDeliveries
}

// Create creates a subscription. Only this answer contains the secret.
func (w *Webhooks) Create(ctx context.Context, body CreateWebhookRequest, options ...CallOption) (*Answer[NewWebhookSubscription], error) {
	return post[NewWebhookSubscription](ctx, w.sender, body, options, "webhooks")
}

// List lists the subscriptions, newest first.
func (w *Webhooks) List(query ListWebhooksQuery, options ...CallOption) *List[WebhookSubscription] {
	return newList[WebhookSubscription](w.sender, []string{"webhooks"}, "webhooks", query, options)
}

// Get reads a subscription by its id.
func (w *Webhooks) Get(ctx context.Context, id string, options ...CallOption) (*Answer[WebhookSubscription], error) {
	return get[WebhookSubscription](ctx, w.sender, nil, options, "webhooks", id)
}

// Update changes only the fields in the body.
func (w *Webhooks) Update(ctx context.Context, id string, body UpdateWebhookRequest, options ...CallOption) (*Answer[WebhookSubscription], error) {
	return call[WebhookSubscription](ctx, w.sender, ask{method: http.MethodPatch, path: []string{"webhooks", id}, body: body}, options)
}

// Delete deletes a subscription.
func (w *Webhooks) Delete(ctx context.Context, id string, options ...CallOption) (*Answer[DeleteWebhookResult], error) {
	return call[DeleteWebhookResult](ctx, w.sender, ask{method: http.MethodDelete, path: []string{"webhooks", id}}, options)
}

// RotateSecret replaces the secret. Only this answer contains the new one. Until the old one expires, deliveries are
// signed with both.
func (w *Webhooks) RotateSecret(ctx context.Context, id string, body RotateWebhookSecretRequest, options ...CallOption) (*Answer[RotatedWebhookSubscription], error) {
	return post[RotatedWebhookSubscription](ctx, w.sender, body, options, "webhooks", id, "rotate-secret")
}

// Test sends a test event and returns the answer of the endpoint.
func (w *Webhooks) Test(ctx context.Context, id string, options ...CallOption) (*Answer[WebhookTestResult], error) {
	return post[WebhookTestResult](ctx, w.sender, nil, options, "webhooks", id, "test")
}

// WebhookDeliveries are the log of deliveries to subscriptions.
type WebhookDeliveries struct{ sender *sender }

// List lists deliveries, newest first.
func (w *WebhookDeliveries) List(query ListWebhookDeliveriesQuery, options ...CallOption) *List[WebhookDelivery] {
	return newList[WebhookDelivery](w.sender, []string{"webhooks", "events"}, "events", query, options)
}

// Get reads a delivery and its attempts by the id of the event.
func (w *WebhookDeliveries) Get(ctx context.Context, eventID string, options ...CallOption) (*Answer[WebhookDeliveryDetail], error) {
	return get[WebhookDeliveryDetail](ctx, w.sender, nil, options, "webhooks", "events", eventID)
}

// Retry sends an event again.
func (w *WebhookDeliveries) Retry(ctx context.Context, eventID string, body RetryWebhookDeliveryRequest, options ...CallOption) (*Answer[WebhookDelivery], error) {
	return post[WebhookDelivery](ctx, w.sender, body, options, "webhooks", "events", eventID, "retry")
}

// RetryMany sends the failed deliveries of a period again, at most 10,000 a call.
func (w *WebhookDeliveries) RetryMany(ctx context.Context, body RetryWebhookDeliveriesRequest, options ...CallOption) (*Answer[RetryWebhookDeliveriesResult], error) {
	return post[RetryWebhookDeliveriesResult](ctx, w.sender, body, options, "webhooks", "events", "retry")
}

// Events are all events, also those that no subscription includes.
type Events struct{ sender *sender }

// List returns one page of all events, oldest first. Pass its Cursor as After to read the next page.
func (e *Events) List(ctx context.Context, query ListEventsQuery, options ...CallOption) (*Answer[EventPage], error) {
	return get[EventPage](ctx, e.sender, query, options, "events")
}

// Iterate reads all events, oldest first, page by page. It ends with the newest event.
func (e *Events) Iterate(ctx context.Context, query ListEventsQuery, options ...CallOption) iter.Seq2[WebhookEvent, error] {
	return func(yield func(WebhookEvent, error) bool) {
		if query.Limit == nil {
			query.Limit = Ptr(int64(pageLimit))
		}
		for {
			page, err := e.List(ctx, query, options...)
			if err != nil {
				yield(WebhookEvent{}, err)
				return
			}
			for _, event := range page.Data.Events {
				if !yield(event, nil) {
					return
				}
			}
			if !page.Data.HasMore || len(page.Data.Events) == 0 || page.Data.Cursor == nil {
				return
			}
			query = ListEventsQuery{Limit: query.Limit, After: page.Data.Cursor}
		}
	}
}

// Sandbox controls the simulated banks, operators and payers, in staging only.
type Sandbox struct{ sender *sender }

// Deposit pays into a virtual account.
func (s *Sandbox) Deposit(ctx context.Context, body SimulateDepositRequest, options ...CallOption) (*Answer[Deposit], error) {
	if err := checkAmount(body.Amount); err != nil {
		return nil, err
	}
	return post[Deposit](ctx, s.sender, body, options, "sandbox", "deposits")
}

// SettleDeposit gives a pending deposit its final status.
func (s *Sandbox) SettleDeposit(ctx context.Context, reference string, body SettleDepositRequest, options ...CallOption) (*Answer[Deposit], error) {
	return post[Deposit](ctx, s.sender, body, options, "sandbox", "deposits", reference, "settle")
}

// CompleteTransfer completes a transfer as the bank would.
func (s *Sandbox) CompleteTransfer(ctx context.Context, reference string, body CompleteTransferRequest, options ...CallOption) (*Answer[Transfer], error) {
	return post[Transfer](ctx, s.sender, body, options, "sandbox", "transfers", reference, "complete")
}

// CompleteMomoTransfer completes a transfer as the operator would.
func (s *Sandbox) CompleteMomoTransfer(ctx context.Context, reference string, body CompleteMomoTransferRequest, options ...CallOption) (*Answer[MomoTransfer], error) {
	return post[MomoTransfer](ctx, s.sender, body, options, "sandbox", "momo", "transfer", reference, "complete")
}

// CompleteMomoCollection completes a collection as the payer would.
func (s *Sandbox) CompleteMomoCollection(ctx context.Context, reference string, body CompleteMomoCollectionRequest, options ...CallOption) (*Answer[MomoCollection], error) {
	return post[MomoCollection](ctx, s.sender, body, options, "sandbox", "momo", "collection", reference, "complete")
}

// Fund adds money to the balance. The currency is naira if it is empty.
func (s *Sandbox) Fund(ctx context.Context, amount Kobo, currency Currency, options ...CallOption) (*Answer[FundBalanceResult], error) {
	if err := checkAmount(amount); err != nil {
		return nil, err
	}
	body := FundBalanceRequest{Amount: amount, Currency: unlessEmpty(currency)}
	return post[FundBalanceResult](ctx, s.sender, body, options, "sandbox", "balance", "fund")
}

// TriggerEvent sends a sample of an event to the subscriptions that include it.
func (s *Sandbox) TriggerEvent(ctx context.Context, event EventName, options ...CallOption) (*Answer[TriggerWebhookEventResult], error) {
	return post[TriggerWebhookEventResult](ctx, s.sender, map[string]any{"event": event}, options, "sandbox", "webhooks", "trigger")
}
