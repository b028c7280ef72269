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

// WebhookFault is the reason why a delivery is refused.
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
	FaultNoMatch:         "no signature matches; pass the bytes that arrived as the body, and the secret of this subscription",
	FaultTooOld:          "the signature is too old; does the clock of this machine follow a time server?",
	FaultUnreadable:      "the signature is valid, but the body is not an event",
}

// WebhookError means that a delivery is not genuine, or too old. Answer 400.
type WebhookError struct{ Reason WebhookFault }

func (e *WebhookError) Error() string { return "manilla: " + faultSentences[e.Reason] }

// VerifyOptions are for VerifyWebhookWithOptions. VerifyWebhook uses the zero value.
type VerifyOptions struct {
	// Tolerance is the maximum age of a signature. 0 means 5 minutes.
	Tolerance time.Duration
	Now       time.Time
}

var webhookTime = regexp.MustCompile(`^[0-9]{1,12}$`)

// VerifyWebhook returns the event of a delivery, or a *WebhookError. rawBody must be the bytes that arrived, because a body
// that is parsed and written again may differ. While a secret is being replaced, pass both. An event that this version does
// not know is returned unchanged.
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
	// Tries all secrets, so that the duration does not show which one matches.
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

// SignWebhook returns the signature header of a delivery, for tests of your own endpoint.
func SignWebhook(rawBody []byte, secret string, now time.Time) string {
	sent := strconv.FormatInt(now.Unix(), 10)
	return fmt.Sprintf("t=%s,v1=%s", sent, signatureOf(rawBody, sent, secret))
}

// DecodeData reads the record of an event: var transfer manilla.Transfer; err := event.DecodeData(&transfer).
func (e *WebhookEvent) DecodeData(into any) error { return json.Unmarshal(e.Data, into) }

// webhookBytesMax is far above what the service sends. Anyone can send a body, and it is in memory before its signature can
// be checked.
const webhookBytesMax = 1 << 20

// WebhookHandler answers deliveries: 200 when onEvent has handled the event, 400 when the delivery is not genuine or above
// 1 MiB, and 500 when onEvent returns an error, so that the service sends the event again. onEvent stores the event; do the
// work for it afterwards. An event may arrive again: do nothing for an ID that you have. While a secret is being replaced,
// pass both.
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
