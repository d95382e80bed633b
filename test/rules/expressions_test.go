package rules

import (
	"context"
	"encoding/json"
	"errors"
	"os"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/prometheus/common/model"
	"github.com/prometheus/prometheus/model/labels"
	"github.com/prometheus/prometheus/model/textparse"
	"github.com/prometheus/prometheus/promql"
	"github.com/prometheus/prometheus/promql/parser"
	"github.com/prometheus/prometheus/storage"
	"github.com/prometheus/prometheus/util/teststorage"
	"go.yaml.in/yaml/v3"
)

const (
	rulesFile     = "../../deploy/prometheus/kappa.rules.yml"
	dashboardFile = "../../deploy/grafana/kappa.json"
)

// expression is one of the dashboard or of a rule.
type expression struct{ where, text string }

// rulesOf reads the rules.
func rulesOf(t *testing.T) (list []expression, alerts []string) {
	t.Helper()
	var file struct {
		Groups []struct {
			Rules []struct{ Alert, Record, Expr string }
		}
	}
	text, err := os.ReadFile(rulesFile)
	check(t, err)
	check(t, yaml.Unmarshal(text, &file))
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			list = append(list, expression{r.Alert + r.Record, r.Expr})
			if r.Alert != "" {
				alerts = append(alerts, r.Alert)
			}
		}
	}
	return list, alerts
}

// dashboard reads the expressions of the dashboard, as Grafana sends them.
func dashboard(t *testing.T) (list []expression) {
	t.Helper()
	var file struct {
		Panels []struct {
			Title   string
			Targets []struct{ Expr string }
		}
	}
	text, err := os.ReadFile(dashboardFile)
	check(t, err)
	check(t, json.Unmarshal(text, &file))
	variables := strings.NewReplacer("$job", ".*", "$instance", ".*", "$__rate_interval", "1m")
	for _, p := range file.Panels {
		for _, target := range p.Targets {
			list = append(list, expression{p.Title, variables.Replace(target.Expr)})
		}
	}
	return list
}

// sample is a value of a scrape.
type sample struct {
	labels labels.Labels
	value  float64
}

// parse reads the text of a scrape as Prometheus does, which adds job and instance.
func parse(t *testing.T, text []byte) (samples []sample) {
	t.Helper()
	p, err := textparse.New(text, "text/plain; version=0.0.4", labels.NewSymbolTable(), textparse.ParserOptions{})
	check(t, err)
	for {
		entry, err := p.Next()
		if err != nil {
			break
		}
		if entry != textparse.EntrySeries {
			continue
		}
		_, _, value := p.Series()
		var l labels.Labels
		p.Labels(&l)
		samples = append(samples, sample{labels.NewBuilder(l).Set("job", "kappa").Set("instance", "a").Labels(), value})
	}
	return append(samples, sample{labels.FromStrings("__name__", "up", "job", "kappa", "instance", "a"), 1})
}

// rests are the metrics that a server which is well has none of, with their labels.
var rests = map[string]string{"kappa_unclaimed_jobs": "job_type", "kappa_connections_over_limit_total": "outcome", "kappa_tls_certificate_expiry_timestamp_seconds": "name"}

// TestExpressions has every metric and label that the dashboard and the rules name be one of a
// real server, and asks every expression of the engine, on what that server showed twice.
func TestExpressions(t *testing.T) {
	first, second := scrapes(t)
	known := map[string]map[string]bool{}
	for _, s := range parse(t, second) {
		name := s.labels.Get(model.MetricNameLabel)
		if known[name] == nil {
			known[name] = map[string]bool{}
		}
		s.labels.Range(func(l labels.Label) { known[name][l.Name] = true })
	}
	store := filled(t, parse(t, first), parse(t, second))
	engine := promql.NewEngine(promql.EngineOpts{MaxSamples: 1e6, Timeout: time.Minute, EnableAtModifier: true})
	rules, _ := rulesOf(t)
	panels := dashboard(t)
	if len(rules) < 25 || len(panels) < 50 {
		t.Fatalf("%d rules and %d expressions of panels were found", len(rules), len(panels))
	}
	for _, e := range append(slices.Clone(panels), rules...) {
		wantKnown(t, e, known)
		query, err := engine.NewInstantQuery(t.Context(), store, nil, e.text, time.Unix(60, 0))
		if err != nil {
			t.Errorf("%s: %s: %v", e.where, e.text, err)
			continue
		}
		result := query.Exec(t.Context())
		vector, err := result.Vector()
		if err != nil {
			t.Errorf("%s: %s: %v", e.where, e.text, err)
		}
		if len(vector) == 0 && slices.Contains(panels, e) {
			t.Errorf("%s: %s gives nothing", e.where, e.text)
		}
		query.Close()
	}
}

// wantKnown wants the metrics of an expression, the labels that select, and those that group.
func wantKnown(t *testing.T, e expression, known map[string]map[string]bool) {
	t.Helper()
	tree, err := parser.NewParser(parser.Options{}).ParseExpr(e.text)
	if err != nil {
		t.Errorf("%s: %s: %v", e.where, e.text, err)
		return
	}
	all := map[string]bool{"job": true, "instance": true}
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		selector, ok := node.(*parser.VectorSelector)
		if !ok {
			return nil
		}
		if label := rests[selector.Name]; label != "" && known[selector.Name] == nil {
			all[label] = true
			return nil
		}
		if known[selector.Name] == nil {
			t.Errorf("%s: there is no metric %s", e.where, selector.Name)
		}
		for name := range known[selector.Name] {
			all[name] = true
		}
		for _, m := range selector.LabelMatchers {
			if m.Name != model.MetricNameLabel && !known[selector.Name][m.Name] {
				t.Errorf("%s: %s has no label %s", e.where, selector.Name, m.Name)
			}
		}
		return nil
	})
	parser.Inspect(tree, func(node parser.Node, _ []parser.Node) error {
		if group, ok := node.(*parser.AggregateExpr); ok {
			for _, name := range group.Grouping {
				if !all[name] {
					t.Errorf("%s: nothing in %s has the label %s", e.where, e.text, name)
				}
			}
		}
		return nil
	})
}

// filled returns a storage in which the first scrape is there twice, and then the second one.
func filled(t *testing.T, first, second []sample) storage.Queryable {
	t.Helper()
	store := teststorage.New(t)
	for i, samples := range [][]sample{first, first, second, second} {
		app := store.Appender(t.Context())
		for _, s := range samples {
			if _, err := app.Append(0, s.labels, int64(15_000*(i+1)), s.value); err != nil && !errors.Is(err, context.Canceled) {
				t.Fatalf("%s: %v", s.labels, err)
			}
		}
		check(t, app.Commit())
	}
	return store
}

func check(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}
