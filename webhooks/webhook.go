package webhooks

import (
	"crypto/rand"
	"encoding/hex"
	"net/url"
	"regexp"
	"slices"
	"strconv"
	"time"

	"github.com/kappagraph/kappa"
	"github.com/kappagraph/kappa/internal/check"
)

// The limits of webhooks.
const (
	Max            = 100 // of an installation
	MaxURL         = 2048
	maxDescription = 500
	maxNames       = 100 // ontologies or job types of one
	maxOntology    = 200

	// KeepSecret is how long a secret that was replaced goes on signing, unless somebody says
	// otherwise; MaxKeepSecret is the longest.
	KeepSecret    = 24 * time.Hour
	MaxKeepSecret = 7 * 24 * time.Hour

	// MaxCounted is up to how many deliveries those that wait are counted.
	MaxCounted = 10_000
)

// DisabledByHand is the reason of a webhook that somebody has disabled.
const DisabledByHand = "disabled by an operator"

// Settings are what somebody chooses of a webhook.
type Settings struct {
	URL         string   `json:"url" doc:"Where deliveries are sent: http or https"`
	Description string   `json:"description" required:"false" doc:"What it is for, at most 500 characters"`
	Events      []Event  `json:"events" required:"false" doc:"What it is told of; none is everything"`
	Ontologies  []string `json:"ontologies" required:"false" doc:"Only of what is in one of these; none is everything"`
	JobTypes    []string `json:"job_types" required:"false" doc:"Of jobs only those of one of these types; none is all"`
}

// Validate reports every rule that s breaks.
func (s Settings) Validate() error {
	var r check.Rules
	r.Add("body", "url", checkURL(s.URL))
	r.Add("body", "description", check.OptionalName(s.Description, maxDescription))
	for i, e := range s.Events {
		r.Add("body", at("events", i), check.OneOf(e, Events()...))
	}
	for _, list := range []struct {
		name  string
		names []string
		most  int
	}{{"ontologies", s.Ontologies, maxOntology}, {"job_types", s.JobTypes, check.MaxJobType}} {
		r.Add("body", list.name, tooMany(len(list.names)))
		for i, n := range list.names {
			r.Add("body", at(list.name, i), check.Name(n, list.most))
		}
	}
	return r.Err()
}

// Normal returns s with each name once, and no list nil.
func (s Settings) Normal() Settings {
	s.Events, s.Ontologies, s.JobTypes = once(s.Events), once(s.Ontologies), once(s.JobTypes)
	return s
}

func once[T ~string](list []T) []T {
	list = append([]T{}, list...)
	slices.Sort(list)
	return slices.Compact(list)
}

func at(name string, i int) string { return name + "[" + strconv.Itoa(i) + "]" }

func tooMany(n int) string {
	if n > maxNames {
		return "must be at most " + strconv.Itoa(maxNames) + " names, got " + strconv.Itoa(n)
	}
	return ""
}

// checkURL returns the rule that an address breaks, or "". Whether it may be reached is seen when
// something is sent, since that depends on what its name resolves to then.
func checkURL(text string) string {
	u, err := url.Parse(text)
	switch {
	case len(text) > MaxURL:
		return "must have at most " + strconv.Itoa(MaxURL) + " characters"
	case err != nil || u.Scheme != "http" && u.Scheme != "https" || u.Hostname() == "":
		return "must be a URL such as https://example.com/hooks"
	case u.User != nil:
		return "must not contain a user name or password"
	case u.Fragment != "":
		return "must not have a fragment"
	}
	return ""
}

// Webhook is an address that is told of events.
type Webhook struct {
	ID string `json:"webhook_id"`
	Settings
	Enabled        bool        `json:"enabled"`
	DisabledAt     *kappa.Time `json:"disabled_at"`
	DisabledReason string      `json:"disabled_reason" doc:"Why it is disabled"`
	FailingSince   *kappa.Time `json:"failing_since" doc:"The first failure after the last success; null when the last attempt went well. After five days it is disabled"`
	Waiting        int         `json:"deliveries_waiting" doc:"Deliveries that are not over, counted up to 10,000"`
	OldSecretUntil *kappa.Time `json:"old_secret_until" doc:"Until when the secret that was replaced signs too"`
	Owner          string      `json:"owner" doc:"Who made it; empty when the account is gone"`
	CreatedAt      kappa.Time  `json:"created_at"`
	UpdatedAt      kappa.Time  `json:"updated_at"`
}

// Change is what is changed of a webhook; nil leaves a part as it is.
type Change struct {
	URL         *string   `json:"url,omitempty"`
	Description *string   `json:"description,omitempty"`
	Events      *[]Event  `json:"events,omitempty"`
	Ontologies  *[]string `json:"ontologies,omitempty"`
	JobTypes    *[]string `json:"job_types,omitempty"`
	Enabled     *bool     `json:"enabled,omitempty" doc:"Nothing is sent by a disabled webhook, and nothing more is kept for it; what waits goes on when it is enabled"`
}

// Apply returns what becomes of w. It reports every rule that it would break.
func (c Change) Apply(w Webhook) (Webhook, error) {
	if c == (Change{}) {
		return w, kappa.NewError(kappa.CodeMalformed, "Nothing is to be changed: send url, description, events, ontologies, job_types or enabled")
	}
	set(&w.URL, c.URL)
	set(&w.Description, c.Description)
	set(&w.Events, c.Events)
	set(&w.Ontologies, c.Ontologies)
	set(&w.JobTypes, c.JobTypes)
	if c.Enabled != nil && *c.Enabled != w.Enabled {
		w.Enabled, w.DisabledReason = *c.Enabled, ""
		if !w.Enabled {
			w.DisabledReason = DisabledByHand
		}
	}
	w.Settings = w.Settings.Normal()
	return w, w.Validate()
}

func set[T any](to, from *T) {
	if from != nil {
		*to = *from
	}
}

// NewID returns an id that no other webhook has.
func NewID() string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return "wh_" + hex.EncodeToString(b[:])
}

var idPattern = regexp.MustCompile(`^wh_[0-9a-f]{24}$`)

// IsID reports whether s has the form of the id of a webhook.
func IsID(s string) bool { return idPattern.MatchString(s) }
