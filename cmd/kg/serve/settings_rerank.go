package serve

import (
	"errors"
	"fmt"
	"strconv"
	"strings"
	"time"

	"github.com/kappagraph/kappa/corpus/models"
	"github.com/kappagraph/kappa/internal/llm"
	modelsettings "github.com/kappagraph/kappa/internal/models"
)

// rerankSettings are how a reranker is reached that revises the order of answers.
type rerankSettings struct {
	URL     string // "": none
	Model   string
	Key     secret
	Price   string // US dollars for a thousand calls
	Limits  models.ProviderLimits
	Timeout time.Duration
}

// table returns the settings of the reranker.
func (r *rerankSettings) table() []setting {
	return []setting{
		text("KG_RERANK_URL", "", "", "where the API of a reranker is, to which /rerank is added, such as https://api.cohere.com/v2", &r.URL).without("no reranker"),
		text("KG_RERANK_MODEL", "", "", "the model that reranks", &r.Model),
		text("RERANK_API_KEY", "", "", "the key for the reranker", &r.Key.value).hidden(),
		text("KG_RERANK_API_KEY_FILE", "", "", "file with the key for the reranker", &r.Key.file),
		text("KG_RERANK_PRICE", "0", "", "what a thousand calls of the reranker cost, in US dollars", &r.Price),
		number("KG_RERANK_CALLS", 8, 1, 1000, "calls to the reranker at once, of all servers together", &r.Limits.Calls),
		number("KG_RERANK_REQUESTS_PER_MINUTE", 0, 0, 1_000_000, "calls to the reranker in a minute; 0 sets no limit", &r.Limits.RequestsPerMinute),
		seconds("KG_RERANK_TIMEOUT", 2, 1, 60, "how long a question waits for the reranker before its own order is answered, in seconds", &r.Timeout),
	}
}

// check returns what is wrong with settings that their own rules allow.
func (r *rerankSettings) check() (broken []error) {
	if _, err := r.price(); err != nil {
		broken = append(broken, err)
	}
	if r.URL == "" {
		return broken
	}
	if rule := modelsettings.CheckURL(r.URL); rule != "" {
		broken = append(broken, fmt.Errorf("KG_RERANK_URL: %s; the value is not shown, as it may hold a secret", rule))
	}
	if r.Model == "" {
		broken = append(broken, errors.New("KG_RERANK_MODEL: must be set, since KG_RERANK_URL is"))
	}
	switch value, err := r.Key.read(); {
	case err != nil:
		broken = append(broken, fmt.Errorf("KG_RERANK_API_KEY_FILE: must be a file that can be read: %w", err))
	case strings.ContainsFunc(value, func(c rune) bool { return c <= ' ' || c > '~' }):
		broken = append(broken, errors.New("RERANK_API_KEY: must be one line of letters, digits and signs; it is not shown"))
	}
	return broken
}

// price returns what one call costs in US dollars.
func (r *rerankSettings) price() (float64, error) {
	p, err := strconv.ParseFloat(r.Price, 64)
	if err != nil || !(p >= 0 && p <= 1e6) {
		return 0, fmt.Errorf("KG_RERANK_PRICE: must be from 0 to 1000000 US dollars for a thousand calls, such as 2.00, got %q", r.Price)
	}
	return p / 1000, nil
}

// limited returns limits with those of the reranker.
func (r *rerankSettings) limited(l models.Limits) models.Limits {
	if r.URL != "" {
		l.Providers[llm.Rerank] = r.Limits
	}
	return l
}
