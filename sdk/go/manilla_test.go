package manilla_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"os"
	"os/exec"
	"reflect"
	"regexp"
	"strings"
	"testing"
	"time"

	manilla "manilla.dev/go"
)

const key = "sk_test_0000000000000000000000000000000000000000"

type object = map[string]any

func vectors(t *testing.T, name string) object {
	t.Helper()
	text, err := os.ReadFile("../vectors/" + name + ".json")
	if err != nil {
		t.Fatal(err)
	}
	var value object
	decode(t, text, &value)
	return value
}

func decode(t *testing.T, text []byte, into any) {
	t.Helper()
	decoder := json.NewDecoder(bytes.NewReader(text))
	decoder.UseNumber()
	if err := decoder.Decode(into); err != nil {
		t.Fatalf("%v: %s", err, text)
	}
}

// plain is a value as JSON reads it.
func plain(t *testing.T, value any) any {
	t.Helper()
	text, err := json.Marshal(value)
	if err != nil {
		t.Fatal(err)
	}
	var made any
	decode(t, text, &made)
	return made
}

func list(value any) []any {
	items, _ := value.([]any)
	return items
}

func number(value any, usual int) int {
	if n, ok := value.(json.Number); ok {
		i, _ := n.Int64()
		return int(i)
	}
	return usual
}

type fakeClock struct {
	at    time.Time
	waits []int
}

func (c *fakeClock) Now() time.Time { return c.at }

func (c *fakeClock) Wait(_ context.Context, duration time.Duration) error {
	c.at = c.at.Add(duration)
	c.waits = append(c.waits, int(duration.Milliseconds()))
	return nil
}

var server string

func TestMain(m *testing.M) {
	node := os.Getenv("NODE")
	if node == "" {
		node = "node"
	}
	child := exec.Command(node, "../vectors/server.mjs", "--port", "0")
	input, _ := child.StdinPipe()
	output, _ := child.StdoutPipe()
	if err := child.Start(); err != nil {
		fmt.Fprintln(os.Stderr, "the server of the vectors needs Node:", err)
		os.Exit(1)
	}
	line, _ := bufio.NewReader(output).ReadString('\n')
	server = strings.TrimSpace(line)
	code := m.Run()
	input.Close()
	_ = child.Wait()
	os.Exit(code)
}

func askServer(t *testing.T, method, path string, body any) object {
	t.Helper()
	text, _ := json.Marshal(body)
	request, _ := http.NewRequest(method, server+path, bytes.NewReader(text))
	response, err := http.DefaultClient.Do(request)
	if err != nil {
		t.Fatal(err)
	}
	defer response.Body.Close()
	answer, _ := io.ReadAll(response.Body)
	var value object
	decode(t, answer, &value)
	return value
}

type played struct {
	requests []any
	rest     []int
	result   any // As JSON reads it.
	items    []any
	meta     manilla.Meta
	err      error
	waits    []int
}

// call calls one method with the values of a vector, and returns its result as JSON.
type call struct {
	path, query, body, whole object
	options                  []manilla.CallOption
}

// read makes a typed request of a body. A body that does not fit the types is an argument error.
func read[T any](body object) (T, error) {
	var request T
	text, _ := json.Marshal(body)
	if err := json.Unmarshal(text, &request); err != nil {
		return request, &manilla.Error{Kind: manilla.KindArgument, Code: "INVALID_ARGUMENT", Message: err.Error()}
	}
	return request, nil
}

func shown[T any](answer *manilla.Answer[T], err error) (any, manilla.Meta, error) {
	if err != nil {
		return nil, manilla.Meta{}, err
	}
	return answer.Data, answer.Meta, nil
}

type method func(ctx context.Context, c *manilla.Client, a call) (any, manilla.Meta, error)

func withBody[B, T any](do func(context.Context, *manilla.Client, call, B) (*manilla.Answer[T], error)) method {
	return func(ctx context.Context, c *manilla.Client, a call) (any, manilla.Meta, error) {
		body, err := read[B](a.body)
		if err != nil {
			return nil, manilla.Meta{}, err
		}
		return shown(do(ctx, c, a, body))
	}
}

func without[T any](do func(context.Context, *manilla.Client, call) (*manilla.Answer[T], error)) method {
	return func(ctx context.Context, c *manilla.Client, a call) (any, manilla.Meta, error) {
		return shown(do(ctx, c, a))
	}
}

// listed runs through a list, or reads a page of it.
func listed[Q, T any](name string, make func(*manilla.Client, Q, []manilla.CallOption) *manilla.List[T]) method {
	return func(ctx context.Context, c *manilla.Client, a call) (any, manilla.Meta, error) {
		query, err := read[Q](a.query)
		if err != nil {
			return nil, manilla.Meta{}, err
		}
		all := make(c, query, a.options)
		if a.whole["iterate"] != true {
			page, err := all.Page(ctx, 0)
			if err != nil {
				return nil, manilla.Meta{}, err
			}
			return object{name: page.Items}, page.Meta, nil
		}
		items := []any{}
		for item, err := range all.All(ctx) {
			if err != nil {
				return nil, manilla.Meta{}, err
			}
			text, _ := json.Marshal(item)
			var fields object
			_ = json.Unmarshal(text, &fields)
			items = append(items, fields[a.whole["collect"].(string)])
			if len(items) == number(a.whole["stopAfter"], -1) {
				break
			}
		}
		return items, manilla.Meta{}, nil
	}
}

func text(fields object, name string) string { return fmt.Sprint(fields[name]) }

func currencyOf(given *manilla.Currency) manilla.Currency {
	if given == nil {
		return ""
	}
	return *given
}

func wait(a call) time.Duration {
	return time.Duration(number(a.whole["waitMs"], 0)) * time.Millisecond
}

var methods = map[string]method{
	"listDeposits": listed("deposits", func(c *manilla.Client, q manilla.ListDepositsQuery, o []manilla.CallOption) *manilla.List[manilla.Deposit] {
		return c.Deposits.List(q, o...)
	}),
	"getDeposit": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.Deposit], error) {
		return c.Deposits.Get(x, text(a.path, "reference"), a.options...)
	}),
	"validateDeposit": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.DepositValidation], error) {
		return c.Deposits.Validate(x, text(a.path, "reference"), a.options...)
	}),
	"createCustomer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.CreateCustomerRequest) (*manilla.Answer[manilla.Customer], error) {
		return c.Customers.Create(x, b, a.options...)
	}),
	"listCustomers": listed("customers", func(c *manilla.Client, q manilla.ListCustomersQuery, o []manilla.CallOption) *manilla.List[manilla.Customer] {
		return c.Customers.List(q, o...)
	}),
	"getCustomer": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.Customer], error) {
		return c.Customers.Get(x, text(a.path, "reference"), a.options...)
	}),
	"updateCustomer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.UpdateCustomerRequest) (*manilla.Answer[manilla.Customer], error) {
		return c.Customers.Update(x, text(a.path, "reference"), b, a.options...)
	}),
	"openStaticAccount": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.OpenStaticAccountRequest) (*manilla.Answer[manilla.VirtualAccount], error) {
		return c.VirtualAccounts.OpenStatic(x, b, a.options...)
	}),
	"openDynamicAccount": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.OpenDynamicAccountRequest) (*manilla.Answer[manilla.VirtualAccount], error) {
		return c.VirtualAccounts.OpenDynamic(x, b, a.options...)
	}),
	"listVirtualAccounts": listed("virtualAccounts", func(c *manilla.Client, q manilla.ListVirtualAccountsQuery, o []manilla.CallOption) *manilla.List[manilla.VirtualAccount] {
		return c.VirtualAccounts.List(q, o...)
	}),
	"getVirtualAccount": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.VirtualAccountDetails], error) {
		return c.VirtualAccounts.Get(x, text(a.path, "accountNumber"), a.options...)
	}),
	"closeVirtualAccount": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.VirtualAccount], error) {
		return c.VirtualAccounts.Close(x, text(a.path, "accountNumber"), a.options...)
	}),
	"initiateTransfer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.TransferRequest) (*manilla.Answer[manilla.Transfer], error) {
		return c.Transfers.Initiate(x, b, a.options...)
	}),
	"initiateTransfers": withBody(func(x context.Context, c *manilla.Client, a call, b struct {
		Transfers []manilla.TransferRequest `json:"transfers"`
	}) (*manilla.Answer[manilla.InitiateTransfersResult], error) {
		return c.Transfers.InitiateMany(x, b.Transfers, a.options...)
	}),
	"listTransfers": listed("transfers", func(c *manilla.Client, q manilla.ListTransfersQuery, o []manilla.CallOption) *manilla.List[manilla.Transfer] {
		return c.Transfers.List(q, o...)
	}),
	"getTransfer": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.Transfer], error) {
		return c.Transfers.Get(x, text(a.path, "reference"), a.options...)
	}),
	"initiateMomoTransfer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.InitiateMomoTransferRequest) (*manilla.Answer[manilla.MomoTransfer], error) {
		return c.Momo.Transfers.Initiate(x, b, a.options...)
	}),
	"listMomoTransfers": listed("transfers", func(c *manilla.Client, q manilla.ListMomoTransfersQuery, o []manilla.CallOption) *manilla.List[manilla.MomoTransfer] {
		return c.Momo.Transfers.List(q, o...)
	}),
	"getMomoTransfer": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoTransfer], error) {
		return c.Momo.Transfers.Get(x, text(a.path, "reference"), a.options...)
	}),
	"initiateMomoCollection": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.InitiateMomoCollectionRequest) (*manilla.Answer[manilla.MomoCollection], error) {
		return c.Momo.Collections.Initiate(x, b, a.options...)
	}),
	"listMomoCollections": listed("collections", func(c *manilla.Client, q manilla.ListMomoCollectionsQuery, o []manilla.CallOption) *manilla.List[manilla.MomoCollection] {
		return c.Momo.Collections.List(q, o...)
	}),
	"verifyCollectionOtp": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.VerifyCollectionOtpRequest) (*manilla.Answer[manilla.MomoCollection], error) {
		return c.Momo.Collections.VerifyOTP(x, b, a.options...)
	}),
	"getMomoCollection": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoCollection], error) {
		return c.Momo.Collections.Get(x, text(a.path, "reference"), a.options...)
	}),
	"listMomoOperators": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoOperatorList], error) {
		query, _ := read[manilla.ListMomoOperatorsQuery](a.query)
		return c.Momo.Operators(x, query, a.options...)
	}),
	"resolvePhoneNumber": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoWallet], error) {
		query, _ := read[manilla.ResolvePhoneNumberQuery](a.query)
		return c.Momo.Resolve(x, query, a.options...)
	}),
	"listBanks": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.BankList], error) {
		query, _ := read[manilla.ListBanksQuery](a.query)
		return c.Banks.List(x, query, a.options...)
	}),
	"resolveBankAccount": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.BankAccount], error) {
		query, _ := read[manilla.ResolveBankAccountQuery](a.query)
		return c.Banks.Resolve(x, query, a.options...)
	}),
	"getBalance": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.BalanceList], error) {
		return c.Balance.Get(x, a.options...)
	}),
	"listLedgerEntries": listed("entries", func(c *manilla.Client, q manilla.ListLedgerEntriesQuery, o []manilla.CallOption) *manilla.List[manilla.LedgerEntry] {
		return c.Balance.Ledger(q, o...)
	}),
	"getFee": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.Fee], error) {
		query, _ := read[manilla.GetFeeQuery](a.query)
		return c.Transfers.Fee(x, *query.Amount, currencyOf(query.Currency), a.options...)
	}),
	"createWebhook": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.CreateWebhookRequest) (*manilla.Answer[manilla.NewWebhookSubscription], error) {
		return c.Webhooks.Create(x, b, a.options...)
	}),
	"listWebhooks": listed("webhooks", func(c *manilla.Client, q manilla.ListWebhooksQuery, o []manilla.CallOption) *manilla.List[manilla.WebhookSubscription] {
		return c.Webhooks.List(q, o...)
	}),
	"getWebhook": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.WebhookSubscription], error) {
		return c.Webhooks.Get(x, text(a.path, "id"), a.options...)
	}),
	"updateWebhook": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.UpdateWebhookRequest) (*manilla.Answer[manilla.WebhookSubscription], error) {
		return c.Webhooks.Update(x, text(a.path, "id"), b, a.options...)
	}),
	"deleteWebhook": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.DeleteWebhookResult], error) {
		return c.Webhooks.Delete(x, text(a.path, "id"), a.options...)
	}),
	"rotateWebhookSecret": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.RotateWebhookSecretRequest) (*manilla.Answer[manilla.RotatedWebhookSubscription], error) {
		return c.Webhooks.RotateSecret(x, text(a.path, "id"), b, a.options...)
	}),
	"testWebhook": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.WebhookTestResult], error) {
		return c.Webhooks.Test(x, text(a.path, "id"), a.options...)
	}),
	"listEvents": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.EventPage], error) {
		query, _ := read[manilla.ListEventsQuery](a.query)
		return c.Events.List(x, query, a.options...)
	}),
	"listWebhookDeliveries": listed("events", func(c *manilla.Client, q manilla.ListWebhookDeliveriesQuery, o []manilla.CallOption) *manilla.List[manilla.WebhookDelivery] {
		return c.Webhooks.Deliveries.List(q, o...)
	}),
	"getWebhookDelivery": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.WebhookDeliveryDetail], error) {
		return c.Webhooks.Deliveries.Get(x, text(a.path, "eventId"), a.options...)
	}),
	"retryWebhookDelivery": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.RetryWebhookDeliveryRequest) (*manilla.Answer[manilla.WebhookDelivery], error) {
		return c.Webhooks.Deliveries.Retry(x, text(a.path, "eventId"), b, a.options...)
	}),
	"retryWebhookDeliveries": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.RetryWebhookDeliveriesRequest) (*manilla.Answer[manilla.RetryWebhookDeliveriesResult], error) {
		return c.Webhooks.Deliveries.RetryMany(x, b, a.options...)
	}),
	"simulateDeposit": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.SimulateDepositRequest) (*manilla.Answer[manilla.Deposit], error) {
		return c.Sandbox.Deposit(x, b, a.options...)
	}),
	"settleDeposit": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.SettleDepositRequest) (*manilla.Answer[manilla.Deposit], error) {
		return c.Sandbox.SettleDeposit(x, text(a.path, "reference"), b, a.options...)
	}),
	"completeTransfer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.CompleteTransferRequest) (*manilla.Answer[manilla.Transfer], error) {
		return c.Sandbox.CompleteTransfer(x, text(a.path, "reference"), b, a.options...)
	}),
	"completeMomoTransfer": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.CompleteMomoTransferRequest) (*manilla.Answer[manilla.MomoTransfer], error) {
		return c.Sandbox.CompleteMomoTransfer(x, text(a.path, "reference"), b, a.options...)
	}),
	"completeMomoCollection": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.CompleteMomoCollectionRequest) (*manilla.Answer[manilla.MomoCollection], error) {
		return c.Sandbox.CompleteMomoCollection(x, text(a.path, "reference"), b, a.options...)
	}),
	"triggerWebhookEvent": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.TriggerWebhookEventResult], error) {
		return c.Sandbox.TriggerEvent(x, manilla.EventName(text(a.body, "event")), a.options...)
	}),
	"fundBalance": withBody(func(x context.Context, c *manilla.Client, a call, b manilla.FundBalanceRequest) (*manilla.Answer[manilla.FundBalanceResult], error) {
		return c.Sandbox.Fund(x, b.Amount, currencyOf(b.Currency), a.options...)
	}),
	"iterateEvents": func(x context.Context, c *manilla.Client, a call) (any, manilla.Meta, error) {
		query, _ := read[manilla.ListEventsQuery](a.query)
		ids := []any{}
		for event, err := range c.Events.Iterate(x, query, a.options...) {
			if err != nil {
				return nil, manilla.Meta{}, err
			}
			ids = append(ids, event.ID)
			if len(ids) == number(a.whole["stopAfter"], -1) {
				break
			}
		}
		return ids, manilla.Meta{}, nil
	},
	"rawRequest": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[json.RawMessage], error) {
		return c.RawRequest(x, text(a.whole, "method"), text(a.whole, "rawPath"), a.whole["params"], a.options...)
	}),
	"waitForTransfer": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.Transfer], error) {
		return c.Transfers.WaitFor(x, text(a.whole, "reference"), wait(a), a.options...)
	}),
	"waitForMomoTransfer": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoTransfer], error) {
		return c.Momo.Transfers.WaitFor(x, text(a.whole, "reference"), wait(a), a.options...)
	}),
	"waitForMomoCollection": without(func(x context.Context, c *manilla.Client, a call) (*manilla.Answer[manilla.MomoCollection], error) {
		return c.Momo.Collections.WaitFor(x, text(a.whole, "reference"), wait(a), a.options...)
	}),
}

func objectOf(value any) object {
	fields, _ := value.(object)
	if fields == nil {
		return object{}
	}
	return fields
}

func repeated(repeat object) []any {
	items := []any{}
	for at := range number(repeat["count"], 0) {
		item := object{}
		for name, value := range objectOf(repeat["item"]) {
			item[name] = value
		}
		item["reference"] = strings.ReplaceAll(text(item, "reference"), "{i}", fmt.Sprint(at))
		if size := number(repeat["itemBytes"], 0); size > 0 {
			filler := map[string]string{}
			for n := range (size - 300) / 520 {
				filler[fmt.Sprintf("filler-%d", n)] = strings.Repeat("x", 500)
			}
			item["metadata"] = filler
		}
		items = append(items, item)
	}
	return items
}

func play(t *testing.T, scenario object) played {
	t.Helper()
	asked := objectOf(scenario["call"])
	given := objectOf(scenario["options"])
	steps := scenario["script"]
	if steps == nil {
		steps = []any{}
	}
	script := askServer(t, "POST", "/__scripts", object{"steps": steps})
	clock := &fakeClock{at: time.Unix(0, 0)}
	client, err := manilla.New(key, manilla.Options{
		BaseURL:      text(script, "baseUrl"),
		Timeout:      time.Duration(number(given["timeoutMs"], 30_000)) * time.Millisecond,
		TotalTimeout: time.Duration(number(given["totalTimeoutMs"], 120_000)) * time.Millisecond,
		Clock:        clock,
	})
	if err != nil {
		t.Fatal(err)
	}
	a := call{path: objectOf(asked["path"]), query: objectOf(asked["query"]), body: objectOf(asked["body"]), whole: asked}
	if repeat, ok := asked["repeat"].(object); ok {
		a.body = object{"transfers": repeated(repeat)}
	}
	if id, ok := given["requestId"].(string); ok {
		a.options = append(a.options, manilla.WithRequestID(id))
	}
	do, ok := methods[text(asked, "operation")]
	if !ok {
		t.Fatalf("no method for %v", asked["operation"])
	}
	result, meta, err := do(context.Background(), client, a)
	end := askServer(t, "DELETE", "/__scripts/"+text(script, "id"), nil)
	return played{
		requests: list(end["requests"]),
		rest:     []int{number(end["unexpected"], -1), number(end["left"], -1)},
		result:   plain(t, result),
		meta:     meta,
		err:      err,
		waits:    clock.waits,
	}
}

func same(t *testing.T, what string, got, want any) {
	t.Helper()
	if !reflect.DeepEqual(plain(t, got), plain(t, want)) {
		a, _ := json.Marshal(got)
		b, _ := json.Marshal(want)
		t.Errorf("%s: got %s, want %s", what, a, b)
	}
}

// contains returns whether each expected field is there, with its value. A typed record lacks fields that the types do not
// have.
func contains(t *testing.T, what string, got, want object) {
	t.Helper()
	for name, value := range want {
		if number, ok := got[name].(json.Number); ok {
			same(t, what+"."+name, number, value)
			continue
		}
		same(t, what+"."+name, got[name], value)
	}
}

func check(t *testing.T, scenario object) {
	expected := objectOf(scenario["expected"])
	ran := play(t, scenario)
	wanted, fails := expected["error"].(object)
	if fails != (ran.err != nil) {
		t.Fatalf("error: %v, want %v", ran.err, expected["error"])
	}
	names, bodies, ids, queries := []any{}, map[string]bool{}, map[string]bool{}, []any{}
	for _, one := range ran.requests {
		request := one.(object)
		names = append(names, request["request"])
		queries = append(queries, request["query"])
		if !strings.HasPrefix(text(request, "request"), "GET") {
			bodies[text(request, "body")] = true
		}
		ids[text(objectOf(request["headers"]), "x-request-id")] = true
	}
	same(t, "requests", names, expected["requests"])
	same(t, "unexpected, left", ran.rest, []int{0, 0})
	if want, ok := expected["delaysMs"]; ok {
		same(t, "delays", append([]int{}, ran.waits...), want)
	}
	if want, ok := expected["queries"]; ok {
		same(t, "queries", queries, want)
	}
	asked := objectOf(scenario["call"])
	if asked["repeat"] == nil && len(bodies) > 1 {
		t.Errorf("the bodies differ: %v", bodies)
	}
	if asked["repeat"] == nil && asked["iterate"] == nil && asked["waitMs"] == nil && len(ids) > 1 {
		t.Errorf("the request ids differ: %v", ids)
	}
	if len(ran.requests) > 0 {
		first := ran.requests[0].(object)
		if want, ok := expected["query"]; ok {
			same(t, "query", first["query"], want)
		}
		for name, want := range objectOf(expected["headers"]) {
			pattern := regexp.QuoteMeta(fmt.Sprint(want))
			if form, ok := want.(object); ok {
				pattern = text(form, "matches")
			}
			if got := text(objectOf(first["headers"]), name); !regexp.MustCompile(pattern).MatchString(got) {
				t.Errorf("header %s is %q, want %s", name, got, pattern)
			}
		}
		if want, ok := expected["body"]; ok {
			var sent any
			if raw, isText := first["body"].(string); isText {
				decode(t, []byte(raw), &sent)
			}
			same(t, "body", sent, want)
		}
	}
	if want, ok := expected["items"]; ok {
		same(t, "items", ran.result, want)
	} else {
		contains(t, "data", objectOf(ran.result), objectOf(expected["data"]))
	}
	if meta, ok := expected["meta"].(object); ok {
		got := object{
			"replayed": ran.meta.Replayed, "recovered": ran.meta.Recovered, "attempts": ran.meta.Attempts,
			"requestId": ran.meta.RequestID, "status": ran.meta.Status, "headers": picked(ran.meta.Header, meta),
		}
		contains(t, "meta", got, meta)
	}
	if fails {
		checkError(t, ran.err, wanted)
	}
	checkBulk(t, expected, ran)
}

// picked returns the headers that a vector expects.
func picked(header http.Header, want object) object {
	all := object{}
	for name := range objectOf(want["headers"]) {
		all[name] = header.Get(name)
	}
	return all
}

func checkError(t *testing.T, err error, want object) {
	t.Helper()
	var e *manilla.Error
	if !errors.As(err, &e) {
		t.Fatalf("%T is no error of the SDK", err)
	}
	got := object{
		"code": e.Code, "message": e.Message, "status": e.Status, "details": e.Details, "requestId": e.RequestID,
		"retryAfterSeconds": e.RetryAfterSeconds, "unclear": e.Unclear, "headers": picked(e.Header, want),
	}
	for name, value := range want {
		switch kinds, isList := value.([]any); {
		case name == "results":
			same(t, "results", len(e.Results), objectOf(value)["count"])
		case name == "kind" && isList:
			found := false
			for _, kind := range kinds {
				found = found || kind == string(e.Kind)
			}
			if !found {
				t.Errorf("kind is %s, want one of %v", e.Kind, kinds)
			}
		case name == "kind":
			same(t, "kind", string(e.Kind), value)
		default:
			same(t, name, got[name], value)
		}
	}
}

func checkBulk(t *testing.T, expected object, ran played) {
	t.Helper()
	sizes := []int{}
	for _, one := range ran.requests {
		body, ok := one.(object)["body"].(string)
		if !ok || expected["parts"] == nil {
			continue
		}
		var part struct{ Transfers []any }
		decode(t, []byte(body), &part)
		sizes = append(sizes, len(part.Transfers))
		if limit := number(expected["maxBodyBytes"], len(body)); len(body) > limit {
			t.Errorf("a body has %d bytes of at most %d", len(body), limit)
		}
	}
	if want, ok := expected["parts"]; ok {
		same(t, "parts", sizes, want)
	}
	want, ok := expected["results"].(object)
	if !ok {
		return
	}
	result := objectOf(ran.result)
	refused := []any{}
	for at, one := range list(result["results"]) {
		same(t, "index", one.(object)["index"], at)
		if one.(object)["outcome"] == "refused" {
			refused = append(refused, at)
		}
	}
	same(t, "count", len(list(result["results"])), want["count"])
	if indexes, ok := want["refusedIndexes"]; ok {
		same(t, "refused", refused, indexes)
	}
	for _, name := range []string{"accepted", "replayed", "refused"} {
		if value, ok := want[name]; ok {
			same(t, name, result[name], value)
		}
	}
}

func TestScenarios(t *testing.T) {
	for _, file := range []string{"requests", "answers", "retries", "paging", "bulk", "waits"} {
		scenarios := list(vectors(t, file)["scenarios"])
		if len(scenarios) < 5 {
			t.Fatalf("%s has %d scenarios", file, len(scenarios))
		}
		for _, scenario := range scenarios {
			t.Run(file+"/"+text(scenario.(object), "name"), func(t *testing.T) { check(t, scenario.(object)) })
		}
	}
}

func TestWebhookVectors(t *testing.T) {
	for _, one := range list(vectors(t, "webhooks")["vectors"]) {
		vector := one.(object)
		t.Run(text(vector, "name"), func(t *testing.T) {
			body := []byte(text(vector, "body"))
			if encoded, ok := vector["bodyBase64"].(string); ok {
				body, _ = base64.StdEncoding.DecodeString(encoded)
			}
			secrets := []string{}
			for _, secret := range list(vector["secrets"]) {
				secrets = append(secrets, secret.(string))
			}
			header, _ := vector["header"].(string)
			event, err := manilla.VerifyWebhookWithOptions(body, header, secrets, manilla.VerifyOptions{
				Tolerance: time.Duration(number(vector["toleranceSeconds"], 300)) * time.Second,
				Now:       time.Unix(int64(number(vector["now"], 0)), 0),
			})
			var outcome object
			var fault *manilla.WebhookError
			if errors.As(err, &fault) {
				outcome = object{"valid": false, "reason": fault.Reason}
			} else if err == nil {
				outcome = object{"valid": true, "event": event.Event, "id": event.ID}
			}
			same(t, "outcome", outcome, vector["expected"])
		})
	}
}

func TestAmounts(t *testing.T) {
	amounts := vectors(t, "amounts")
	for _, value := range list(amounts["requests"]) {
		one := value.(object)
		t.Run("request "+text(one, "json"), func(t *testing.T) {
			var amount any
			decode(t, []byte(text(one, "json")), &amount)
			step := object{"body": object{"success": true, "data": object{"amount": 1}}}
			ran := play(t, object{"call": object{"operation": "fundBalance", "body": object{"amount": amount}}, "script": []any{step}})
			if one["accepted"] == true {
				same(t, "sent", []any{ran.err, len(ran.requests)}, []any{nil, 1})
			} else if !manilla.IsKind(ran.err, manilla.KindArgument) || len(ran.requests) > 0 {
				t.Errorf("got %v after %d requests", ran.err, len(ran.requests))
			}
		})
	}
	for _, value := range list(amounts["naira"]) {
		one := value.(object)
		kobo, err := manilla.Naira(text(one, "text"))
		if one["kobo"] == nil {
			same(t, text(one, "text"), err != nil, true)
		} else {
			same(t, text(one, "text"), []any{kobo, err}, []any{one["kobo"], nil})
		}
	}
	for _, value := range list(amounts["format"]) {
		one := value.(object)
		same(t, "format", manilla.FormatNaira(int64(number(one["kobo"], 0))), one["text"])
	}
	for _, value := range list(amounts["answers"]) {
		one := value.(object)
		step := object{"text": `{"success":true,"data":{"reference":"A","amount":` + text(one, "json") + `}}`}
		ran := play(t, object{
			"call":   object{"operation": "getTransfer", "path": object{"reference": "A"}},
			"script": []any{step, step, step, step},
		})
		same(t, "amount", fmt.Sprint(objectOf(ran.result)["amount"]), one["exact"])
	}
}

func TestClients(t *testing.T) {
	for _, value := range list(vectors(t, "client")["clients"]) {
		one := value.(object)
		t.Run(text(one, "name"), func(t *testing.T) {
			variable, _ := objectOf(one["variables"])["MANILLA_BASE_URL"].(string)
			t.Setenv("MANILLA_BASE_URL", variable)
			address, _ := one["baseUrl"].(string)
			client, err := manilla.New(text(one, "apiKey"), manilla.Options{BaseURL: address})
			var made any
			if err == nil {
				made = object{"environment": client.Environment, "baseUrl": client.BaseURL}
			}
			same(t, "client", made, one["expected"])
		})
	}
}
