package webhooks

import (
	"crypto/hmac"
	"crypto/rand"
	"crypto/sha256"
	"encoding/base64"
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

const (
	secretPrefix = "whsec_"
	secretBytes  = 32
)

// The headers of a delivery, as net/http writes them.
const (
	HeaderID        = "Webhook-Id"
	HeaderTimestamp = "Webhook-Timestamp"
	HeaderSignature = "Webhook-Signature"
)

// errSecret says nothing of the secret.
var errSecret = errors.New("a secret of a webhook is whsec_ and base64")

// NewSecret returns a new secret in the form in which receivers get it.
func NewSecret() string {
	var b [secretBytes]byte
	_, _ = rand.Read(b[:]) // never fails
	return secretPrefix + base64.StdEncoding.EncodeToString(b[:])
}

// Sign returns the value of the header webhook-signature: a signature for each secret, the
// newest first.
func Sign(secrets []string, id string, at time.Time, body []byte) (string, error) {
	if len(secrets) == 0 {
		return "", errors.New("there is no secret to sign with")
	}
	signatures := make([]string, len(secrets))
	for i, secret := range secrets {
		text, ok := strings.CutPrefix(secret, secretPrefix)
		key, err := base64.StdEncoding.DecodeString(text)
		if !ok || err != nil {
			return "", errSecret
		}
		mac := hmac.New(sha256.New, key)
		fmt.Fprintf(mac, "%s.%s.", id, Timestamp(at))
		mac.Write(body)
		signatures[i] = "v1," + base64.StdEncoding.EncodeToString(mac.Sum(nil))
	}
	return strings.Join(signatures, " "), nil
}

// Timestamp returns the value of the header webhook-timestamp.
func Timestamp(at time.Time) string { return strconv.FormatInt(at.Unix(), 10) }

// SealedSecret is a secret of a webhook as it is stored: encrypted, by a key that KeyID names.
type SealedSecret struct {
	WebhookID string
	Number    int
	KeyID     string
	Sealed    []byte
}

// Row returns what the secret is bound to when it is encrypted.
func (s SealedSecret) Row() string { return SecretRow(s.WebhookID) }

// SecretRow returns what the secrets of a webhook are bound to when they are encrypted.
func SecretRow(webhookID string) string { return "webhook " + webhookID }

// KeepOldHours returns for how long a secret that is replaced goes on signing. It returns
// CodeInvalid for a time that is not from 0 to 168 hours.
func KeepOldHours(hours float64) (time.Duration, error) {
	if rule := check.Between(hours, 0, MaxKeepSecret.Hours()); rule != "" {
		return 0, kappa.Invalid(kappa.FieldError{In: "body", Name: "keep_old_hours", Rule: rule})
	}
	return time.Duration(hours * float64(time.Hour)), nil
}
