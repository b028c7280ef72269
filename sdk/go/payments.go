package manilla

import (
	"context"
	"encoding/json"
	"fmt"
	"net/http"
	"regexp"
	"strings"
	"time"
)

// Payments are the methods of one kind of payment.
type Payments[Request, Record, Query any] struct {
	sender       *sender
	path         []string
	initiatePath []string
	name         string
	of           func(Request) (reference string, amount Kobo)
	end          func(Record) (isFinal bool, status string)
}

// Initiate sends the payment. If the answer is lost, it reads the payment by its reference, and sends it again only if it
// does not exist. If this returns an error with Unclear, read the payment before you pay in another way.
func (p *Payments[Request, Record, Query]) Initiate(ctx context.Context, request Request, options ...CallOption) (*Answer[Record], error) {
	reference, amount := p.of(request)
	if err := checkAmount(amount); err != nil {
		return nil, err
	}
	body, err := marshal(request)
	if err != nil {
		return nil, argumentError("the request cannot be written as JSON: %v", err)
	}
	var asked map[string]any
	if err := unmarshalExact(body, &asked); err != nil {
		return nil, argumentError("the request is no object: %v", err)
	}
	look := &lookUp{append(append([]string{}, p.path...), reference), func(record map[string]any) bool { return isSame(asked, record) }}
	return call[Record](ctx, p.sender, ask{method: http.MethodPost, path: p.initiatePath, body: json.RawMessage(body), lookUp: look}, options)
}

// Get reads a payment by its reference.
func (p *Payments[Request, Record, Query]) Get(ctx context.Context, reference string, options ...CallOption) (*Answer[Record], error) {
	return call[Record](ctx, p.sender, ask{method: http.MethodGet, path: append(append([]string{}, p.path...), reference)}, options)
}

// List lists payments, newest first.
func (p *Payments[Request, Record, Query]) List(query Query, options ...CallOption) *List[Record] {
	return newList[Record](p.sender, p.path, p.name, query, options)
}

// WaitFor reads a payment until it is final, or until wait is over: at once, then after 1, 2, 4, 8, 16, 30, 30 … seconds. A
// webhook arrives sooner.
func (p *Payments[Request, Record, Query]) WaitFor(ctx context.Context, reference string, wait time.Duration, options ...CallOption) (*Answer[Record], error) {
	clock := p.sender.clock
	deadline := clock.Now().Add(wait)
	for turn := 0; ; turn++ {
		payment, err := p.Get(ctx, reference, options...)
		if err != nil {
			return nil, err
		}
		isFinal, status := p.end(payment.Data)
		if isFinal {
			return payment, nil
		}
		delay := delayAfter(turn)
		message := fmt.Sprintf("%s is still %s; it has not failed: ask again later, or wait for its event", reference, status)
		pending := &Error{Kind: KindTimeout, Code: ErrorCodeStillPending, Message: message, RequestID: payment.RequestID}
		if !clock.Now().Add(delay).Before(deadline) {
			return nil, pending
		}
		if err := clock.Wait(ctx, delay); err != nil {
			pending.Cause = err
			return nil, pending
		}
	}
}

// isSame returns whether a record has the values that were requested. Fields that were not requested are not compared.
func isSame(request, record map[string]any) bool {
	for _, name := range []string{"amount", "bankSlug", "accountNumber", "accountReference", "operator"} {
		if request[name] != nil && request[name] != record[name] {
			return false
		}
	}
	sent, ok := request["phoneNumber"].(string)
	return !ok || isSamePhone(sent, fmt.Sprint(record["phoneNumber"]))
}

var noDigit = regexp.MustCompile(`[^0-9]`)

// isSamePhone takes 08030000000, 2348030000000 and +2348030000000 for the same number.
func isSamePhone(sent, shown string) bool {
	digits := strings.TrimLeft(noDigit.ReplaceAllString(sent, ""), "0")
	return strings.HasSuffix(noDigit.ReplaceAllString(shown, ""), digits)
}

const (
	itemsMax = 1000
	bytesMax = 1_000_000
)

// partsOf splits transfers so that each part fits into one request.
func partsOf(transfers []TransferRequest) ([][]TransferRequest, error) {
	var parts [][]TransferRequest
	from, size := 0, 0
	for at, transfer := range transfers {
		text, err := marshal(transfer)
		if err != nil {
			return nil, argumentError("transfer %d cannot be written as JSON: %v", at, err)
		}
		if at-from == itemsMax || at > from && size+len(text)+1 > bytesMax-20 {
			parts = append(parts, transfers[from:at])
			from, size = at, 0
		}
		size += len(text) + 1
	}
	return append(parts, transfers[from:]), nil
}

// InitiateMany sends any number of transfers, up to a thousand in each request. A refused transfer does not stop the
// others. Results have the Index in the whole list. If a part fails, the Error has the Results of the earlier parts, and
// sending the same list again is safe.
func (t *Transfers) InitiateMany(ctx context.Context, transfers []TransferRequest, options ...CallOption) (*Answer[InitiateTransfersResult], error) {
	if len(transfers) == 0 {
		return nil, argumentError("there is no transfer to send")
	}
	for _, transfer := range transfers {
		if err := checkAmount(transfer.Amount); err != nil {
			return nil, err
		}
	}
	parts, err := partsOf(transfers)
	if err != nil {
		return nil, err
	}
	whole := &Answer[InitiateTransfersResult]{}
	for _, part := range parts {
		body := map[string]any{"transfers": part}
		what := ask{method: http.MethodPost, path: []string{"transfers", "bulk"}, body: body, replays: true}
		sent, err := call[InitiateTransfersResult](ctx, t.sender, what, options)
		if e, ok := err.(*Error); ok {
			e.Results = whole.Data.Results
		}
		if err != nil {
			return nil, err
		}
		start := int64(len(whole.Data.Results))
		for _, result := range sent.Data.Results {
			result.Index += start
			whole.Data.Results = append(whole.Data.Results, result)
		}
		whole.Data.Accepted += sent.Data.Accepted
		whole.Data.Replayed += sent.Data.Replayed
		whole.Data.Refused += sent.Data.Refused
		whole.Meta = sent.Meta
	}
	return whole, nil
}
