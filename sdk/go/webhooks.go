package manilla

import (
	"crypto/hmac"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"
	"unicode/utf8"
)

// SignatureHeader is the header that signs a delivery.
const SignatureHeader = "X-Webhook-Signature"

// WebhookFault says why a delivery must not be believed.
type WebhookFault string

const (
	FaultMissingHeader   WebhookFault = "missing_header"
	FaultMalformedHeader WebhookFault = "malformed_header"
	FaultNoMatch         WebhookFault = "no_match"
	FaultTooOld          WebhookFault = "too_old"
	FaultUnreadable      WebhookFault = "unreadable"
)

var faultSentences = map[WebhookFault]string{
	FaultMissingHeader:   "there is no X-Webhook-Signature header",
	FaultMalformedHeader: "the X-Webhook-Signature header has no t or no v1",
	FaultNoMatch:         "no signature agrees; the body must be the bytes that came, and the secret the one of this subscription",
	FaultTooOld:          "the signature is too old; does the clock of this machine follow a time server?",
	FaultUnreadable:      "the body is signed, but it is no event",
}

// WebhookError is a delivery that must not be believed. Answer 400.
type WebhookError struct{ Reason WebhookFault }

func (e *WebhookError) Error() string { return "manilla: " + faultSentences[e.Reason] }

// VerifyOptions of VerifyWebhookWithOptions. The zero value is what VerifyWebhook goes by.
type VerifyOptions struct {
	// Tolerance is how old a signature may be: 5 minutes if it is 0.
	Tolerance time.Duration
	Now       time.Time
}

var webhookTime = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyWebhook returns the event of a delivery, or a *WebhookError. rawBody is the body as it came: parsed and written
// again it may differ. While a secret is being replaced, pass both. An event that this version does not know is
// returned as it is.
func VerifyWebhook(rawBody []byte, header string, secrets ...string) (*WebhookEvent, error) {
	return VerifyWebhookWithOptions(rawBody, header, secrets, VerifyOptions{})
}

// VerifyWebhookWithOptions is VerifyWebhook with another tolerance or time.
func VerifyWebhookWithOptions(rawBody []byte, header string, secrets []string, options VerifyOptions) (*WebhookEvent, error) {
	if len(secrets) == 0 {
		return nil, errors.New("manilla: there is no webhook secret")
	}
	sent, given, err := parseHeader(header)
	if err != nil {
		return nil, err
	}
	agrees := false
	// All are tried, so that the time tells nothing of which agrees.
	for _, secret := range secrets {
		if secret == "" {
			return nil, errors.New("manilla: a webhook secret is empty")
		}
		expected := []byte(signatureOf(rawBody, sent, secret))
		for _, one := range given {
			agrees = hmac.Equal(expected, []byte(one)) || agrees
		}
	}
	if !agrees {
		return nil, &WebhookError{FaultNoMatch}
	}
	now := options.Now
	if now.IsZero() {
		now = time.Now()
	}
	seconds, _ := strconv.ParseInt(sent, 10, 64)
	if now.Sub(time.Unix(seconds, 0)) > orElse(options.Tolerance, 5*time.Minute) {
		return nil, &WebhookError{FaultTooOld}
	}
	event := &WebhookEvent{}
	var names struct{ ID, Event *string }
	if !utf8.Valid(rawBody) || json.Unmarshal(rawBody, &names) != nil || names.ID == nil || names.Event == nil || json.Unmarshal(rawBody, event) != nil {
		return nil, &WebhookError{FaultUnreadable}
	}
	return event, nil
}

func parseHeader(header string) (sent string, given []string, err error) {
	if header == "" {
		return "", nil, &WebhookError{FaultMissingHeader}
	}
	var times []string
	for _, part := range strings.Split(header, ",") {
		name, value, _ := strings.Cut(strings.TrimSpace(part), "=")
		switch name {
		case "t":
			times = append(times, value)
		case "v1":
			given = append(given, value)
		}
	}
	if len(times) != 1 || !webhookTime.MatchString(times[0]) || len(given) == 0 {
		return "", nil, &WebhookError{FaultMalformedHeader}
	}
	return times[0], given, nil
}

func signatureOf(rawBody []byte, sent, secret string) string {
	mac := hmac.New(sha256.New, []byte(secret))
	mac.Write([]byte(sent + "."))
	mac.Write(rawBody)
	return hex.EncodeToString(mac.Sum(nil))
}

// SignWebhook makes the header of a delivery, for tests of your own endpoint.
func SignWebhook(rawBody []byte, secret string, now time.Time) string {
	sent := strconv.FormatInt(now.Unix(), 10)
	return fmt.Sprintf("t=%s,v1=%s", sent, signatureOf(rawBody, sent, secret))
}

// DecodeData reads the record of an event: var transfer manilla.Transfer; err := event.DecodeData(&transfer).
func (e *WebhookEvent) DecodeData(into any) error { return json.Unmarshal(e.Data, into) }

// webhookBytesMax is far above what the service sends.
const webhookBytesMax = 1 << 20

// WebhookHandler answers deliveries: 200 when the event was taken, 400 when it must not be believed, 500 when onEvent
// returns an error, so that the event comes again. onEvent puts the event where it is safe; the work comes afterwards.
// An event may come again: do nothing for an ID that you have. While a secret is being replaced, pass both.
func WebhookHandler(onEvent func(*http.Request, *WebhookEvent) error, secrets ...string) http.Handler {
	return http.HandlerFunc(func(w http.ResponseWriter, r *http.Request) {
		body, err := io.ReadAll(http.MaxBytesReader(w, r.Body, webhookBytesMax))
		if err != nil {
			w.WriteHeader(http.StatusBadRequest)
			return
		}
		event, err := VerifyWebhook(body, r.Header.Get(SignatureHeader), secrets...)
		var fault *WebhookError
		switch {
		case errors.As(err, &fault):
			w.WriteHeader(http.StatusBadRequest)
		case err != nil, onEvent(r, event) != nil:
			w.WriteHeader(http.StatusInternalServerError)
		}
	})
}
