package manilla_test

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"os"
	"slices"
	"testing"
	"time"

	manilla "manilla.dev/go"
)

// Money in, money out and a webhook, against a running staging server: MANILLA_API_KEY and MANILLA_BASE_URL name it.
func TestJourney(t *testing.T) {
	if os.Getenv("MANILLA_API_KEY") == "" {
		t.Skip("MANILLA_API_KEY and MANILLA_BASE_URL name no staging server")
	}
	ctx := context.Background()
	client, err := manilla.New(os.Getenv("MANILLA_API_KEY"), manilla.Options{})
	done := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	done(err)
	run := fmt.Sprintf("GO-%d", time.Now().UnixMilli())
	events := make(chan *manilla.WebhookEvent, 100)
	secret := make(chan string, 1)
	var known string
	receiver := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		select {
		case known = <-secret:
		default:
		}
		manilla.WebhookHandler(func(_ *http.Request, event *manilla.WebhookEvent) error {
			events <- event
			return nil
		}, known).ServeHTTP(w, r)
	}))
	defer receiver.Close()
	webhook, err := client.Webhooks.Create(ctx, manilla.CreateWebhookRequest{
		URL: receiver.URL + "/webhooks", Events: []manilla.EventName{manilla.EventNameTransferSuccess, manilla.EventNameDepositSuccess},
	})
	done(err)
	secret <- webhook.Data.Secret

	price, err := manilla.Naira("5,000.00")
	done(err)
	order, err := client.VirtualAccounts.OpenDynamic(ctx, manilla.OpenDynamicAccountRequest{Amount: price, Reference: manilla.Ptr(run + "-ORDER")})
	done(err)
	deposit, err := client.Sandbox.Deposit(ctx, manilla.SimulateDepositRequest{AccountNumber: order.Data.AccountNumber, Amount: price})
	done(err)
	validation, err := client.Deposits.Validate(ctx, deposit.Data.Reference)
	done(err)
	if !validation.Data.Exists || validation.Data.Valid == nil || !*validation.Data.Valid {
		t.Fatalf("%+v", validation)
	}

	request := manilla.TransferRequest{
		Reference: run + "-PAYOUT", Amount: 150_000, BankSlug: "guaranty-trust-bank", AccountNumber: "0123456789", AccountName: "ADA OBI",
	}
	sent, err := client.Transfers.Initiate(ctx, request)
	done(err)
	again, err := client.Transfers.Initiate(ctx, request)
	done(err)
	if sent.Data.Status != "queued" || sent.Replayed || !again.Replayed {
		t.Fatalf("%+v, %+v", sent, again)
	}
	other := request
	other.Amount = 1
	if _, err := client.Transfers.Initiate(ctx, other); !manilla.IsKind(err, manilla.KindConflict) {
		t.Fatalf("a second payment under the reference: %v", err)
	}
	ended, err := client.Transfers.WaitFor(ctx, request.Reference, time.Minute)
	done(err)
	if ended.Data.Status != "SUCCESS" {
		t.Fatalf("%+v", ended)
	}

	bulk, wanted := []manilla.TransferRequest{}, []string{request.Reference}
	for at := range 3 {
		one := request
		one.Reference = fmt.Sprintf("%s-BULK-%d", run, at)
		bulk, wanted = append(bulk, one), append(wanted, one.Reference)
	}
	many, err := client.Transfers.InitiateMany(ctx, bulk)
	done(err)
	listed := []string{}
	for one, err := range client.Transfers.List(manilla.ListTransfersQuery{Limit: manilla.Ptr(int64(2))}).All(ctx) {
		done(err)
		listed = append(listed, one.Reference)
	}
	slices.Reverse(wanted)
	if many.Data.Accepted != 3 || !slices.Equal(listed, wanted) {
		t.Fatalf("%d accepted, listed %v", many.Data.Accepted, listed)
	}
	if _, err := client.Transfers.Get(ctx, "NO-SUCH"); !manilla.IsKind(err, manilla.KindNotFound) {
		t.Fatal(err)
	}

	heard, late := map[string]bool{}, time.After(time.Minute)
	for !heard["transfer.success"] || !heard["deposit.success"] {
		select {
		case event := <-events:
			heard[string(event.Event)] = true
		case <-late:
			t.Fatalf("heard only %v", heard)
		}
	}
}
