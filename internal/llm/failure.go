package llm

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"regexp"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/check"
)

// failureKind says whose fault a failure is.
type failureKind int

const (
	failedProvider failureKind = iota // it does not answer, or not us, or has too much to do
	failedRequest                     // it refuses this request; another one may do
	failedLength                      // what was asked is longer than the model takes
	failedAnswer                      // it answered, and the answer cannot be used
)

// failure is a call that failed. Its text names no secret.
type failure struct {
	kind   failureKind
	status int           // of HTTP; 0 without an answer
	after  time.Duration // that the provider asked for; 0: it did not say
	text   string
	usage  models.TokenUsage // that was charged all the same
}

func (f *failure) Error() string { return f.text }

// summary says what failed without the provider's words.
func (f *failure) summary(provider string) string {
	switch {
	case f.status != 0:
		return fmt.Sprintf("%s answered %d", provider, f.status)
	case f.kind == failedProvider:
		return provider + " did not answer"
	}
	return "what " + provider + " answered cannot be used"
}

// failed returns a failure without an answer of HTTP.
func failed(kind failureKind, format string, values ...any) *failure {
	return &failure{kind: kind, text: fmt.Sprintf(format, values...)}
}

// statusKind says what a status of HTTP is about. A key that is refused and a model that
// is not there are no fault of the passage: documents wait until the operator has seen to
// it.
func statusKind(status int, text string) failureKind {
	switch status {
	case http.StatusRequestEntityTooLarge:
		return failedLength
	case http.StatusBadRequest, http.StatusUnprocessableEntity:
		if tooLong.MatchString(text) {
			return failedLength
		}
		return failedRequest
	}
	return failedProvider
}

// tooLong is how servers say that a prompt does not fit.
var tooLong = regexp.MustCompile(`(?i)context[ _](length|window|size)|prompt is too long|too many tokens|maximum context|exceeds the (available )?context|input length exceeds`)

// refusedAnswer returns the failure of an answer with another status than 200.
func refusedAnswer(provider string, resp *http.Response, body []byte, secrets secrets) *failure {
	text := secrets.hide(errorText(body))
	f := &failure{status: resp.StatusCode, after: retryAfter(resp.Header, time.Now()), kind: statusKind(resp.StatusCode, text)}
	f.text = fmt.Sprintf("%s answered %d", provider, resp.StatusCode)
	switch resp.StatusCode {
	case http.StatusUnauthorized, http.StatusForbidden:
		f.text = fmt.Sprintf("%s refuses the key (%d)", provider, resp.StatusCode)
	case http.StatusTooManyRequests:
		f.text = provider + " limits our calls (429)"
	case http.StatusNotFound:
		f.text = provider + " knows no such model or address (404)"
	}
	if text != "" {
		f.text += ": " + text
	}
	f.text += advice(provider, resp.StatusCode)
	return f
}

// advice says what the operator can do about a provider that refuses us.
func advice(provider string, status int) string {
	keys := map[string]string{OpenAI: "OPENAI_API_KEY or KG_OPENAI_API_KEY_FILE", Anthropic: "ANTHROPIC_API_KEY or KG_ANTHROPIC_API_KEY_FILE"}
	addresses := map[string]string{OpenAI: "KG_OPENAI_BASE_URL", Anthropic: "KG_ANTHROPIC_BASE_URL", Ollama: "KG_OLLAMA_URL"}
	switch status {
	case http.StatusUnauthorized, http.StatusForbidden:
		if keys[provider] != "" {
			return "; set " + keys[provider] + ", or kg admin models keys set " + provider
		}
	case http.StatusNotFound:
		return "; see kg admin models, KG_EXTRACTION_MODEL, KG_EMBEDDING_MODEL and " + addresses[provider]
	}
	return ""
}

// retryAfter returns how long a provider wants to be left alone.
func retryAfter(header http.Header, now time.Time) time.Duration {
	if ms, err := strconv.ParseFloat(header.Get("Retry-After-Ms"), 64); err == nil && ms > 0 {
		return clampWait(ms / 1000)
	}
	value := header.Get("Retry-After")
	if s, err := strconv.ParseFloat(value, 64); err == nil && s > 0 {
		return clampWait(s)
	}
	if at, err := http.ParseTime(value); err == nil && at.After(now) {
		return clampWait(at.Sub(now).Seconds())
	}
	return 0
}

// mostAfter is the longest that a provider can have us wait at once.
const mostAfter = 24 * time.Hour

func clampWait(seconds float64) time.Duration {
	return time.Duration(min(seconds, mostAfter.Seconds()) * float64(time.Second))
}

// errorText returns what an answer says of its error, on one line.
func errorText(body []byte) string {
	var text string
	if said := readError(body); said != "" {
		text = said
	} else {
		text = string(body)
	}
	text = strings.Join(strings.Fields(check.StorableText(text, len(text))), " ")
	if most := 300; len(text) > most {
		text = strings.ToValidUTF8(text[:most], "") + "…"
	}
	return text
}

// secrets are what no text of ours shows.
type secrets []string

// keyForm is how the keys of the providers look, whole or in part.
var keyForm = regexp.MustCompile(`\b(sk|pk|key)-[A-Za-z0-9_\-*.]{6,}`)

// hide takes keys out of a text that a server sent.
func (s secrets) hide(text string) string {
	for _, secret := range s {
		if secret != "" {
			text = strings.ReplaceAll(text, secret, "[key]")
		}
	}
	return keyForm.ReplaceAllString(text, "[key]")
}

// asError makes a failure an error for whoever reads a passage. Failures of the provider
// are the Governor's, and only come here without one.
func asError(ctx context.Context, provider string, err error) error {
	if ctx.Err() != nil {
		return context.Cause(ctx)
	}
	f, ok := errors.AsType[*failure](err)
	if !ok {
		return err
	}
	if f.kind == failedProvider {
		return kappa.Postpone(&kappa.Error{Code: kappa.CodeUnavailable, Message: f.text, RetryAfter: f.after}, max(f.after, kappa.BackoffFirst))
	}
	return kappa.Permanent(&kappa.Error{Code: kappa.CodeUpstream, Message: f.text, Err: fmt.Errorf("call %s: %w", provider, f)})
}

// isLength reports whether a call failed because what was asked is too long.
func isLength(err error) bool {
	f, ok := errors.AsType[*failure](err)
	return ok && f.kind == failedLength
}
