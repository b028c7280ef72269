package manillatest_test

import (
	"bytes"
	"context"
	"errors"
	"net/http"
	"net/http/httptest"
	"testing"
	"time"

	manilla "manilla.dev/go"
	"manilla.dev/go/manillatest"
)

var (
	ctx     = context.Background()
	request = manilla.TransferRequest{
		Reference: "PAYOUT-1", Amount: 150_000, BankSlug: "guaranty-trust-bank", AccountNumber: "0123456789", AccountName: "ADA OBI",
	}
)

func TestPaymentWhoseAnswerIsLostIsSentOnce(t *testing.T) {
	fake := manillatest.New()
	fake.Fail(manillatest.Trouble{Lost: true})
	sent, err := fake.Client.Transfers.Initiate(ctx, request)
	if err != nil || sent.Data.Status != "queued" || !sent.Recovered {
		t.Fatalf("%+v, %v", sent, err)
	}
	asked := fake.Requests()
	if len(asked) != 2 || asked[0].Name != "POST /v1/transfers/initiate" || asked[1].Name != "GET /v1/transfers/PAYOUT-1" {
		t.Fatalf("%+v", asked)
	}
	_, err = fake.Client.Transfers.WaitFor(ctx, "PAYOUT-1", time.Minute)
	if !manilla.IsKind(err, manilla.KindTimeout) {
		t.Fatalf("a payment that nothing settles: %v", err)
	}
	if !fake.Settle("PAYOUT-1", "FAILED", "INVALID_ACCOUNT") {
		t.Fatal("there is no payment to settle")
	}
	ended, err := fake.Client.Transfers.WaitFor(ctx, "PAYOUT-1", time.Minute)
	if err != nil || ended.Data.Status != "FAILED" {
		t.Fatalf("%+v, %v", ended, err)
	}
	for one, err := range fake.Client.Transfers.List(manilla.ListTransfersQuery{}).All(ctx) {
		if err != nil || one.Reference != "PAYOUT-1" {
			t.Fatalf("%+v, %v", one, err)
		}
	}
}

func TestReplaysConflictsAndBulk(t *testing.T) {
	fake := manillatest.New()
	other := request
	other.Reference = "PAYOUT-2"
	if _, err := fake.Client.Transfers.Initiate(ctx, request); err != nil {
		t.Fatal(err)
	}
	again, err := fake.Client.Transfers.Initiate(ctx, request)
	if err != nil || !again.Replayed {
		t.Fatalf("%+v, %v", again, err)
	}
	many, err := fake.Client.Transfers.InitiateMany(ctx, []manilla.TransferRequest{request, other})
	if err != nil || many.Data.Accepted != 1 || many.Data.Replayed != 1 {
		t.Fatalf("%+v, %v", many, err)
	}
	other.Amount = 1
	if _, err := fake.Client.Transfers.Initiate(ctx, other); !manilla.IsKind(err, manilla.KindConflict) {
		t.Fatal(err)
	}
	toWallet := manilla.InitiateMomoTransferRequest{Reference: "PAYOUT-1", Amount: 150_000, PhoneNumber: manilla.Ptr("+2348030000000")}
	if _, err := fake.Client.Momo.Transfers.Initiate(ctx, toWallet); !manilla.IsKind(err, manilla.KindConflict) {
		t.Fatalf("a reference of a payment of another kind: %v", err)
	}
}

func TestRefusalsAndAnswers(t *testing.T) {
	fake := manillatest.New()
	fake.Fail(manillatest.Trouble{Status: 429, Code: "RATE_LIMIT_EXCEEDED", RetryAfterSeconds: 7})
	_, err := fake.Client.Balance.Get(ctx)
	var e *manilla.Error
	if !errors.As(err, &e) || e.Kind != manilla.KindRateLimit || *e.RetryAfterSeconds != 7 || e.RequestID == "" {
		t.Fatal(err)
	}
	fake.Answer("GET /v1/banks", manilla.BankList{})
	if _, err := fake.Client.Banks.List(ctx, manilla.ListBanksQuery{}); err != nil {
		t.Fatal(err)
	}
}

func TestCallerEndsACall(t *testing.T) {
	ended, end := context.WithCancel(ctx)
	end()
	fake := manillatest.New()
	_, err := fake.Client.Transfers.Initiate(ended, request)
	var e *manilla.Error
	if !errors.As(err, &e) || e.Code != manilla.ErrorCodeAborted || e.Unclear || !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v", err)
	}
	if asked := fake.Requests(); len(asked) > 0 {
		t.Fatalf("%v was sent", asked)
	}
}

type roundTripper func(*http.Request) (*http.Response, error)

func (r roundTripper) RoundTrip(request *http.Request) (*http.Response, error) { return r(request) }

func TestCallerEndsACallBetweenAttempts(t *testing.T) {
	ended, end := context.WithCancel(ctx)
	fail := roundTripper(func(*http.Request) (*http.Response, error) {
		time.AfterFunc(time.Millisecond, end)
		return &http.Response{StatusCode: 503, Header: http.Header{}, Body: http.NoBody}, nil
	})
	client, err := manilla.New("sk_test_1", manilla.Options{BaseURL: "http://fake.invalid", HTTPClient: &http.Client{Transport: fail}})
	if err != nil {
		t.Fatal(err)
	}
	_, err = client.Transfers.Initiate(ended, request)
	var e *manilla.Error
	if !errors.As(err, &e) || e.Code != manilla.ErrorCodeAborted || !e.Unclear || !errors.Is(err, context.Canceled) {
		t.Fatalf("%+v", err)
	}
}

func TestWebhookHandler(t *testing.T) {
	const secret = "whsec_test"
	body := []byte(`{"id":"evt_1","event":"transfer.success","data":{"reference":"PAYOUT-1","amount":150000}}`)
	var taken manilla.Transfer
	failure := error(nil)
	handler := manilla.WebhookHandler(func(_ *http.Request, event *manilla.WebhookEvent) error {
		if failure == nil {
			return event.DecodeData(&taken)
		}
		return failure
	}, "whsec_new", secret)
	deliver := func(header string) int {
		delivery := httptest.NewRequest(http.MethodPost, "/webhooks", bytes.NewReader(body))
		delivery.Header.Set(manilla.SignatureHeader, header)
		recorder := httptest.NewRecorder()
		handler.ServeHTTP(recorder, delivery)
		return recorder.Code
	}
	if status := deliver(manilla.SignWebhook(body, secret, time.Now())); status != 200 || taken.Reference != "PAYOUT-1" || taken.Amount != 150_000 {
		t.Fatalf("%d %+v", status, taken)
	}
	for _, header := range []string{"", manilla.SignWebhook(body, "other", time.Now()), manilla.SignWebhook(body, secret, time.Unix(1, 0))} {
		if status := deliver(header); status != 400 {
			t.Fatalf("%q: %d", header, status)
		}
	}
	failure = errors.New("the queue is full")
	if status := deliver(manilla.SignWebhook(body, secret, time.Now())); status != 500 {
		t.Fatal(status)
	}
}
