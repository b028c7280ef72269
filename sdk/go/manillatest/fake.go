// Package manillatest is a fake of the service in memory, for tests of programs that use the SDK.
//
// It stores payments as the service does (one for each reference, replays, conflicts). The test sets all other answers.
// Waits return at once, and no server is needed.
package manillatest

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"io"
	"maps"
	"net/http"
	"reflect"
	"strconv"
	"strings"
	"sync"
	"time"

	manilla "manilla.dev/go"
)

// Trouble is how a request fails. With Lost, it takes effect and its answer is lost; otherwise it takes no effect.
type Trouble struct {
	Lost              bool
	Status            int
	Code              string
	Message           string
	RetryAfterSeconds int
}

// Request is a request of the program.
type Request struct {
	// Name is the method and the path: "POST /v1/transfers/initiate".
	Name string
	Body map[string]any
}

// Fake is the service. Goroutines may share it.
type Fake struct {
	Client *manilla.Client

	mutex    sync.Mutex
	now      time.Time
	requests []Request
	troubles []Trouble
	answers  map[string]any
	payments []*payment
}

type payment struct {
	kind  *kind
	asked map[string]any
	// accepted is the record as it was accepted: the answer to a replay.
	accepted map[string]any
	record   map[string]any
}

type kind struct {
	path, initiate, list, unknown string
	material                      []string
	first                         map[string]any
}

var kinds = []*kind{
	{"/v1/transfers", "/v1/transfers/initiate", "transfers", "TRANSFER_NOT_FOUND",
		[]string{"amount", "bankSlug", "accountNumber"}, map[string]any{"status": "queued", "bankName": "A bank"}},
	{"/v1/momo/transfer", "/v1/momo/transfer", "transfers", "TRANSFER_NOT_FOUND",
		[]string{"amount", "phoneNumber", "accountNumber", "accountReference"}, map[string]any{"status": "queued", "operator": "mtn-momo"}},
	{"/v1/momo/collection", "/v1/momo/collection", "collections", "COLLECTION_NOT_FOUND",
		[]string{"amount", "phoneNumber"}, map[string]any{"status": "PENDING", "operator": "mtn-momo"}},
}

// New makes a fake with a client of its own.
func New() *Fake {
	fake := &Fake{answers: map[string]any{}}
	client, err := manilla.New("sk_test_fake", manilla.Options{
		BaseURL:    "http://fake.invalid",
		HTTPClient: &http.Client{Transport: transport{fake}},
		Clock:      clock{fake},
	})
	if err != nil {
		panic(err) // The options above are valid.
	}
	fake.Client = client
	return fake
}

// Fail makes the next requests fail, one for each trouble.
func (f *Fake) Fail(troubles ...Trouble) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.troubles = append(f.troubles, troubles...)
}

// Answer sets the data of any other operation: Answer("GET /v1/banks", manilla.BankList{}).
func (f *Fake) Answer(request string, data any) {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	f.answers[request] = data
}

// Settle sets the status of a payment: Settle("PAYOUT-1001", "FAILED", "INVALID_ACCOUNT"). It returns whether the payment
// exists.
func (f *Fake) Settle(reference, status, failureReason string) bool {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	for _, one := range f.payments {
		if one.asked["reference"] != reference {
			continue
		}
		one.record["status"] = status
		one.record["isFinal"] = status == "SUCCESS" || status == "FAILED" || status == "REVERSED"
		if failureReason != "" {
			one.record["failureReason"] = failureReason
		}
		return true
	}
	return false
}

// Requests returns the requests in order.
func (f *Fake) Requests() []Request {
	f.mutex.Lock()
	defer f.mutex.Unlock()
	return append([]Request{}, f.requests...)
}

type clock struct{ fake *Fake }

func (c clock) Now() time.Time {
	c.fake.mutex.Lock()
	defer c.fake.mutex.Unlock()
	return c.fake.now
}

// Wait returns at once and moves the clock, so that WaitFor ends even if nothing settles the payment.
func (c clock) Wait(ctx context.Context, duration time.Duration) error {
	c.fake.mutex.Lock()
	defer c.fake.mutex.Unlock()
	c.fake.now = c.fake.now.Add(duration)
	return ctx.Err()
}

type transport struct{ fake *Fake }

func (t transport) RoundTrip(request *http.Request) (*http.Response, error) {
	if err := request.Context().Err(); err != nil {
		return nil, err
	}
	f := t.fake
	f.mutex.Lock()
	defer f.mutex.Unlock()
	var body map[string]any
	if request.Body != nil {
		defer request.Body.Close()
		if err := json.NewDecoder(request.Body).Decode(&body); err != nil {
			return nil, err
		}
	}
	name := request.Method + " " + request.URL.Path
	f.requests = append(f.requests, Request{name, body})
	var trouble Trouble
	if len(f.troubles) > 0 {
		trouble, f.troubles = f.troubles[0], f.troubles[1:]
	}
	if trouble.Status != 0 {
		return respond(request, refusal(trouble)), nil
	}
	made := f.respond(name, request.URL.Path, body)
	if trouble.Lost {
		return nil, errors.New("the answer is lost")
	}
	return respond(request, made), nil
}

type answer struct {
	status  int
	headers map[string]string
	body    map[string]any
}

func (f *Fake) respond(name, path string, body map[string]any) answer {
	for _, kind := range kinds {
		if name == "POST "+kind.initiate {
			return f.initiate(kind, body)
		}
		if name == "GET "+kind.path {
			records := []any{}
			for at := len(f.payments) - 1; at >= 0; at-- {
				if f.payments[at].kind == kind {
					records = append(records, f.payments[at].record)
				}
			}
			made := success(map[string]any{kind.list: records})
			made.body["meta"] = map[string]any{"pagination": map[string]any{"hasNext": false}}
			return made
		}
		reference, isRead := strings.CutPrefix(name, "GET "+kind.path+"/")
		if isRead && !strings.Contains(reference, "/") {
			if found := f.find(reference); found != nil && found.kind == kind {
				return success(found.record)
			}
			return refusal(Trouble{Status: 400, Code: kind.unknown, Message: "There is no such payment."})
		}
	}
	if name == "POST /v1/transfers/bulk" {
		return f.bulk(body)
	}
	data, ok := f.answers[name]
	if !ok {
		return refusal(Trouble{Status: 404, Code: "ROUTE_NOT_FOUND", Message: "Tell the fake what to answer to " + name + "."})
	}
	return success(data)
}

// find looks among all kinds, because a reference names one payment of any kind.
func (f *Fake) find(reference any) *payment {
	for _, one := range f.payments {
		if one.asked["reference"] == reference {
			return one
		}
	}
	return nil
}

func (f *Fake) initiate(kind *kind, body map[string]any) answer {
	if known := f.find(body["reference"]); known != nil {
		differs := known.kind != kind
		for _, name := range kind.material {
			differs = differs || !reflect.DeepEqual(known.asked[name], body[name])
		}
		if differs {
			return refusal(Trouble{Status: 409, Code: "CONFLICT", Message: "The reference belongs to another payment."})
		}
		made := success(known.accepted)
		made.headers["Idempotent-Replayed"] = "true"
		return made
	}
	record := map[string]any{"failureReason": nil, "isFinal": false, "fee": 0, "currency": "NGN"}
	for _, fields := range []map[string]any{kind.first, body} {
		maps.Copy(record, fields)
	}
	f.payments = append(f.payments, &payment{kind, body, maps.Clone(record), record})
	return success(record)
}

func (f *Fake) bulk(body map[string]any) answer {
	transfers, _ := body["transfers"].([]any)
	results, counts := []any{}, map[string]int{}
	for index, one := range transfers {
		transfer, _ := one.(map[string]any)
		made := f.initiate(kinds[0], transfer)
		outcome := "accepted"
		if made.status != http.StatusOK {
			outcome = "refused"
		} else if made.headers["Idempotent-Replayed"] != "" {
			outcome = "replayed"
		}
		counts[outcome]++
		results = append(results, map[string]any{
			"index": index, "reference": transfer["reference"], "outcome": outcome,
			"transfer": made.body["data"], "error": made.body["error"],
		})
	}
	return success(map[string]any{
		"results": results, "accepted": counts["accepted"], "replayed": counts["replayed"], "refused": counts["refused"],
	})
}

func success(data any) answer {
	return answer{200, map[string]string{}, map[string]any{"success": true, "data": data, "requestId": "fake"}}
}

func refusal(t Trouble) answer {
	headers := map[string]string{}
	if t.RetryAfterSeconds > 0 {
		headers["Retry-After"] = strconv.Itoa(t.RetryAfterSeconds)
	}
	failure := map[string]any{"code": t.Code, "message": t.Message}
	return answer{t.Status, headers, map[string]any{"success": false, "error": failure, "requestId": "fake"}}
}

func respond(request *http.Request, made answer) *http.Response {
	text, err := json.Marshal(made.body)
	if err != nil {
		panic(err) // A test gave an answer that JSON cannot hold.
	}
	header := http.Header{}
	for name, value := range made.headers {
		header.Set(name, value)
	}
	return &http.Response{StatusCode: made.status, Header: header, Body: io.NopCloser(bytes.NewReader(text)), Request: request}
}
