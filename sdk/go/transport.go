package manilla

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// Version of this module.
const Version = "0.1.0"

// Clock is the clock that the client uses. Tests can pass their own.
type Clock interface {
	Now() time.Time
	// Wait returns early, with the error of the context, if the context ends.
	Wait(ctx context.Context, duration time.Duration) error
}

type systemClock struct{}

func (systemClock) Now() time.Time { return time.Now() }

func (systemClock) Wait(ctx context.Context, duration time.Duration) error {
	timer := time.NewTimer(duration)
	defer timer.Stop()
	select {
	case <-timer.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}

// Meta is the metadata of an answer.
type Meta struct {
	RequestID string
	// Status is the HTTP status.
	Status int
	// Header has the headers of the answer, such as X-RateLimit-Remaining.
	Header http.Header
	// Replayed is true if an earlier request with this reference took effect (Idempotent-Replayed: true).
	Replayed bool
	// Recovered is true if the answer to the payment was lost, and this is the record, read by its reference.
	Recovered bool
	// Attempts is how often the request was sent, without the reads in between.
	Attempts int
}

// Answer is the data of an answer, and its metadata.
type Answer[T any] struct {
	Data T
	Meta
}

// CallOption changes one call.
type CallOption func(*callOptions)

type callOptions struct {
	requestID    string
	timeout      time.Duration
	totalTimeout time.Duration
}

// WithRequestID sets the id of the request, for logs: 1 to 128 visible ASCII characters. The default is a UUID.
func WithRequestID(id string) CallOption { return func(o *callOptions) { o.requestID = id } }

// WithTimeout limits each attempt of the call.
func WithTimeout(limit time.Duration) CallOption { return func(o *callOptions) { o.timeout = limit } }

// WithTotalTimeout limits all attempts of the call and the waits between them.
func WithTotalTimeout(limit time.Duration) CallOption {
	return func(o *callOptions) { o.totalTimeout = limit }
}

type ask struct {
	method string
	path   []string
	query  url.Values
	body   any
	// replays: the service replays what it has accepted, so the same bytes may be sent again.
	replays bool
	lookUp  *lookUp
}

// lookUp says how a payment is read before it is sent again.
type lookUp struct {
	path   []string
	isSame func(record map[string]any) bool
}

type sender struct {
	apiKey       string
	baseURL      string
	timeout      time.Duration
	totalTimeout time.Duration
	client       *http.Client
	clock        Clock
}

type envelope struct {
	Data      json.RawMessage `json:"data"`
	Meta      json.RawMessage `json:"meta"`
	RequestID any             `json:"requestId"`
}

type found struct {
	envelope envelope
	whole    []byte
	status   int
	header   http.Header
}

type success struct {
	envelope envelope
	whole    []byte
	meta     Meta
}

const (
	attemptsMax = 4
	delayMax    = 30 * time.Second
	// answerBytesMax limits how much memory the answer of a broken or hostile server can take.
	answerBytesMax = 64 << 20
)

// delayAfter returns the delay after attempt n, counted from 0.
func delayAfter(turn int) time.Duration {
	if turn > 5 {
		return delayMax
	}
	return min(time.Second<<turn, delayMax)
}

// send sends a request, and retries it by the rules of sdk/vectors/README.md.
func (s *sender) send(ctx context.Context, what ask, options []CallOption) (*success, error) {
	o := callOptions{requestID: newID(), timeout: s.timeout, totalTimeout: s.totalTimeout}
	for _, option := range options {
		option(&o)
	}
	if !requestIDForm.MatchString(o.requestID) {
		return nil, argumentError("a request id is 1 to 128 visible ASCII characters, not %q", o.requestID)
	}
	deadline := s.clock.Now().Add(o.totalTimeout)
	own, err := s.prepare(what)
	if err != nil {
		return nil, err
	}
	var read *prepared
	if what.lookUp != nil {
		if read, err = s.prepare(ask{method: http.MethodGet, path: what.lookUp.path}); err != nil {
			return nil, err
		}
	}
	isWrite := what.method != http.MethodGet
	maySendAgain := !isWrite || what.replays || read != nil
	attempts, unclear := 0, false
	// The failure of the request itself, and the latest failure, which may be that of a read in between.
	var failure, last *Error
	giveUp := func(why *Error) (*success, error) {
		why.Unclear = unclear
		return nil, why
	}
	succeed := func(f *found, recovered bool) (*success, error) {
		id, ok := f.envelope.RequestID.(string)
		if !ok {
			id = o.requestID
		}
		replayed := f.header.Get("Idempotent-Replayed") == "true"
		return &success{f.envelope, f.whole, Meta{id, f.status, f.header, replayed, recovered, attempts}}, nil
	}
	for turn := 0; ; turn++ {
		if failure != nil {
			wait := delayAfter(turn - 1)
			if last.RetryAfterSeconds != nil {
				wait = max(wait, time.Duration(*last.RetryAfterSeconds)*time.Second)
			}
			if turn == attemptsMax || !s.clock.Now().Add(wait).Before(deadline) {
				return giveUp(failure)
			}
			_ = s.clock.Wait(ctx, wait) // An error is that of the context.
		}
		if ctx.Err() != nil {
			return giveUp(aborted(ctx, o.requestID))
		}
		if failure != nil && read != nil {
			f, bad := s.sendOnce(ctx, read, o, deadline)
			if bad == nil {
				var record map[string]any
				if unmarshalExact(f.envelope.Data, &record) == nil && what.lookUp.isSame(record) {
					return succeed(f, true)
				}
				return nil, anotherPayment(record, f)
			}
			last = bad
			if isUnclear(bad) {
				continue
			}
			if bad.Kind != KindNotFound && bad.Status != http.StatusForbidden {
				return giveUp(failure)
			}
		}
		attempts++
		f, bad := s.sendOnce(ctx, own, o, deadline)
		if bad == nil {
			return succeed(f, false)
		}
		failure, last = bad, bad
		unclear = unclear || isWrite && isUnclear(bad)
		if !isUnclear(bad) || !maySendAgain || bad.Code == ErrorCodeAborted {
			return giveUp(bad)
		}
	}
}

func isUnclear(e *Error) bool {
	return e.Kind == KindServer || e.Kind == KindTimeout || e.Kind == KindConnection || e.Kind == KindUnreadable
}

func anotherPayment(record map[string]any, f *found) *Error {
	id, _ := f.envelope.RequestID.(string)
	message := fmt.Sprintf("the reference %v belongs to another payment; use a new reference", record["reference"])
	return &Error{Kind: KindConflict, Code: ErrorCodeConflict, Status: http.StatusConflict, Header: f.header, Message: message, RequestID: id}
}

// prepared is a request as it is sent. It is made once, so that each attempt has the same bytes.
type prepared struct {
	method string
	url    string
	body   []byte
}

func (s *sender) prepare(what ask) (*prepared, error) {
	segments := make([]string, len(what.path))
	for at, part := range what.path {
		// Clients and proxies resolve a dot segment in the path, even encoded.
		if part == "" || part == "." || part == ".." || !utf8.ValidString(part) {
			return nil, argumentError("%q cannot be a part of a path", part)
		}
		segments[at] = url.PathEscape(part)
	}
	p := &prepared{method: what.method, url: s.baseURL + "/v1/" + strings.Join(segments, "/")}
	if len(what.query) > 0 {
		p.url += "?" + what.query.Encode()
	}
	if what.body != nil {
		body, err := marshal(what.body)
		if err != nil {
			return nil, argumentError("the request cannot be written as JSON: %v", err)
		}
		p.body = body
	}
	return p, nil
}

// marshal writes JSON without escaping <, > and &.
func marshal(value any) ([]byte, error) {
	var text bytes.Buffer
	encoder := json.NewEncoder(&text)
	encoder.SetEscapeHTML(false)
	if err := encoder.Encode(value); err != nil {
		return nil, err
	}
	return bytes.TrimSuffix(text.Bytes(), []byte("\n")), nil
}

func (s *sender) sendOnce(ctx context.Context, p *prepared, o callOptions, deadline time.Time) (*found, *Error) {
	limit := min(o.timeout, max(time.Millisecond, deadline.Sub(s.clock.Now())))
	attempt, cancel := context.WithTimeout(ctx, limit)
	defer cancel()
	request, err := http.NewRequestWithContext(attempt, p.method, p.url, bytes.NewReader(p.body))
	if err != nil {
		return nil, argumentError("the request cannot be made: %v", err)
	}
	if p.body == nil {
		request.Body, request.GetBody, request.ContentLength = nil, nil, 0
	} else {
		request.Header.Set("Content-Type", "application/json")
		// With GetBody, the transport would send a write again by itself if the server closed the connection.
		request.GetBody = nil
	}
	request.Header.Set("Accept", "application/json")
	request.Header.Set("Authorization", "Bearer "+s.apiKey)
	request.Header.Set("User-Agent", "manilla-go/"+Version)
	request.Header.Set("X-Request-ID", o.requestID)
	response, err := s.client.Do(request)
	if err != nil {
		return nil, broken(ctx, err, limit, o.requestID)
	}
	defer response.Body.Close()
	body, err := io.ReadAll(io.LimitReader(response.Body, answerBytesMax))
	if err != nil {
		return nil, broken(ctx, err, limit, o.requestID)
	}
	return outcomeOf(response, body, o.requestID)
}

func broken(ctx context.Context, cause error, limit time.Duration, requestID string) *Error {
	if ctx.Err() != nil {
		return aborted(ctx, requestID)
	}
	e := &Error{Kind: KindConnection, Code: ErrorCodeConnectionFailed, RequestID: requestID, Cause: cause}
	e.Message = fmt.Sprintf("the connection failed, or broke before the answer was whole: %v", cause)
	if errors.Is(cause, context.DeadlineExceeded) {
		e.Kind, e.Code, e.Message = KindTimeout, ErrorCodeTimeout, fmt.Sprintf("no whole answer came within %s", limit)
	}
	return e
}

// aborted returns the error of a call that its context ended. errors.Is finds context.Canceled or DeadlineExceeded in it.
func aborted(ctx context.Context, requestID string) *Error {
	message := "the caller ended the call"
	return &Error{Kind: KindConnection, Code: ErrorCodeAborted, Message: message, RequestID: requestID, Cause: ctx.Err()}
}

var (
	requestIDForm = regexp.MustCompile(`^[!-~]{1,128}$`)
	wholeSeconds  = regexp.MustCompile(`^[0-9]{1,9}$`)
	jsonObject    = regexp.MustCompile(`^\s*\{`)
)

func outcomeOf(response *http.Response, body []byte, sentID string) (*found, *Error) {
	status := response.StatusCode
	if status >= 200 && status < 300 {
		var whole envelope
		if json.Unmarshal(body, &whole) == nil && jsonObject.Match(whole.Data) {
			return &found{whole, body, status, response.Header}, nil
		}
		message := "the answer is a success that cannot be read"
		return nil, &Error{Kind: KindUnreadable, Code: ErrorCodeUnreadableAnswer, Status: status, Header: response.Header, Message: message, RequestID: sentID}
	}
	var told struct {
		Error     map[string]json.RawMessage `json:"error"`
		RequestID any                        `json:"requestId"`
	}
	// Parts that cannot be read stay empty.
	_ = json.Unmarshal(body, &told)
	e := &Error{Status: status, Header: response.Header, Code: ErrorCode(fmt.Sprintf("HTTP_%d", status)), Message: fmt.Sprintf("the answer was %d", status)}
	_ = json.Unmarshal(told.Error["code"], &e.Code)
	_ = json.Unmarshal(told.Error["message"], &e.Message)
	_ = json.Unmarshal(told.Error["details"], &e.Details)
	e.Kind = kindOf(status, e.Code)
	e.RequestID = sentID
	if id := response.Header.Get("X-Request-Id"); id != "" {
		e.RequestID = id
	}
	if id, ok := told.RequestID.(string); ok {
		e.RequestID = id
	}
	if after := response.Header.Get("Retry-After"); wholeSeconds.MatchString(after) {
		seconds, _ := strconv.Atoi(after)
		e.RetryAfterSeconds = &seconds
	}
	return nil, e
}

// unmarshalExact keeps numbers as text, so that none is rounded.
func unmarshalExact(data []byte, into any) error {
	decoder := json.NewDecoder(bytes.NewReader(data))
	decoder.UseNumber()
	return decoder.Decode(into)
}

func newID() string {
	var b [16]byte
	_, _ = rand.Read(b[:])
	b[6], b[8] = b[6]&0x0f|0x40, b[8]&0x3f|0x80
	return fmt.Sprintf("%x-%x-%x-%x-%x", b[0:4], b[4:6], b[6:8], b[8:10], b[10:])
}

// call sends a request and reads its data.
func call[T any](ctx context.Context, s *sender, what ask, options []CallOption) (*Answer[T], error) {
	sent, err := s.send(ctx, what, options)
	if err != nil {
		return nil, err
	}
	answer := &Answer[T]{Meta: sent.meta}
	if err := json.Unmarshal(sent.envelope.Data, &answer.Data); err != nil {
		return nil, unreadable(err, sent.meta, what.method != http.MethodGet)
	}
	return answer, nil
}

// unreadable returns the error for a field of an unexpected type. The service has answered with success, so a write has
// probably taken effect.
func unreadable(cause error, meta Meta, unclear bool) *Error {
	message := "the answer has a field of another type than this version knows"
	return &Error{
		Kind: KindUnreadable, Code: ErrorCodeUnreadableAnswer, Status: meta.Status, Header: meta.Header, Message: message,
		RequestID: meta.RequestID, Unclear: unclear, Cause: cause,
	}
}

// partsOfPath returns the decoded parts of /v1/transfers/PAYOUT-1001. They are encoded again, by the same rules as other
// paths.
func partsOfPath(path string) ([]string, error) {
	rest, ok := strings.CutPrefix(path, "/v1/")
	parts := strings.Split(rest, "/")
	for at, part := range parts {
		text, err := url.PathUnescape(part)
		ok = ok && err == nil
		parts[at] = text
	}
	if !ok {
		return nil, argumentError("a path is like /v1/transfers/PAYOUT-1001, not %q", path)
	}
	return parts, nil
}
